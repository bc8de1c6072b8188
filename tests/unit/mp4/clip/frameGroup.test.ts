import * as fc from 'fast-check'
import { planFrameGroup } from '#internal/mp4/clip/frameGroup'
import type { SampleTable } from '#internal/mp4/movie/sampleTable'
import type { Track } from '#internal/mp4/movie/track'
import { previewMp4 } from '#support/media/previewMp4'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { trackOf } from '../movie/sampleMp4'

const test = suite('frameGroup')
const TIMESCALE = 3000
/** Ticks of one frame at 30 a second. */
const FRAME = TIMESCALE / 30
const LIKE = trackOf(previewMp4())

type Given = {
  /** How the samples are shown, in decoding order: their times in ticks. */
  readonly times: readonly number[]
  readonly sync?: readonly number[]
  readonly edits?: Track['edits']
  readonly entryCount?: number
  readonly size?: number
}

function trackWith({ times, sync = [0], edits = [], entryCount = 1, size = 10 }: Given): Track {
  const count = times.length
  const samples: SampleTable = {
    count,
    sizes: new Uint32Array(count).fill(size),
    offsets: Float64Array.from({ length: count }, (_, index) => index * size),
    durations: new Uint32Array(count).fill(FRAME),
    compositionOffsets: Int32Array.from(times, (time, index) => time - index * FRAME),
    sync: Uint8Array.from({ length: count }, (_, index) => (sync.includes(index) ? 1 : 0)),
  }
  const durationSeconds = (count * FRAME) / TIMESCALE
  return { ...LIKE, entryCount, timescale: TIMESCALE, durationSeconds, edits, samples }
}

/** What the filter `fps` shows in a frame: an index of `times`. */
function shownIn(times: readonly number[], frame: number): number {
  const order = [...times.keys()].sort((one, other) => (times[one] ?? 0) - (times[other] ?? 0))
  const due = order.filter((index) => Math.round(((times[index] ?? 0) * 30) / TIMESCALE) <= frame)
  return due.at(-1) ?? order[0] ?? -1
}

/** Which sample of the track the movie of the group shows instead of a frame. */
function shownByGroup(track: Track, frame: number): number | undefined {
  const group = planFrameGroup(track, frame, 30)
  if (!group) return undefined
  const { durations, compositionOffsets } = group.movie
  let decoded = 0
  const times = Array.from(durations, (duration, index) => {
    const time = decoded + (compositionOffsets?.[index] ?? 0)
    decoded += duration
    return time
  })
  return group.range.first + shownIn(times, frame - group.shiftFrames)
}

const inOrder = (count: number) => Array.from({ length: count }, (_, index) => index * FRAME)

test('a list of edits shifts the times, and hides what is before it', () => {
  const edit = { durationSeconds: 1, mediaTime: 2 * FRAME, rate: 1 }
  const pause = { durationSeconds: 0.1, mediaTime: undefined, rate: 1 }
  const times = inOrder(32)
  assert.is(shownByGroup(trackWith({ times, edits: [edit] }), 5), 7)
  const paused = trackWith({ times, edits: [pause, edit] })
  assert.is(shownByGroup(paused, 5), 4)
  assert.is(planFrameGroup(paused, 0, 30)?.range.end, 4, 'up to the second shown')
})

test('what is not simple is left to ffmpeg', () => {
  const times = inOrder(40)
  const edit = { durationSeconds: 0.5, mediaTime: 0, rate: 1 }
  for (const [why, given] of Object.entries<Given>({
    'several descriptions': { times, entryCount: 2 },
    'no key frame': { times, sync: [] },
    'two shown parts': { times, edits: [edit, edit] },
    'three edits': { times, edits: [{ ...edit, mediaTime: undefined }, edit, edit] },
    'a picture that is held': { times, edits: [{ ...edit, rate: 0 }] },
    'only a pause': { times, edits: [{ ...edit, mediaTime: undefined }] },
    'no samples': { times: [] },
    'too many bytes': { times, size: 10_000_000 },
  }))
    assert.is(planFrameGroup(trackWith(given), 10, 30), undefined, why)
  const short = trackWith({ times, edits: [edit] })
  assert.is(planFrameGroup(short, 14, 30), undefined, 'the picture after it is hidden')
  assert.ok(planFrameGroup(short, 13, 30))
})

test('any group shows what the whole original shows', () => {
  const track = fc
    .array(fc.integer({ min: 1, max: 4 * FRAME }), { minLength: 1, maxLength: 40 })
    .chain((gaps) => {
      const times = gaps.map((_, index) => gaps.slice(0, index).reduce((sum, gap) => sum + gap, 0))
      // Groups of three pictures, of which the last is shown second.
      const decoded = times.map((_, index) => {
        const [group, place] = [index - (index % 3), index % 3]
        return times[group + ([0, 2, 1][place] ?? 0)] ?? times[index] ?? 0
      })
      const isWhole = new Set(decoded).size === times.length
      return fc.record({
        times: fc.constant(isWhole ? decoded : times),
        sync: fc.subarray(times.map((_, index) => index).filter((index) => index % 3 === 0)),
      })
    })
  assertProperty(
    fc.property(track, fc.nat(200), (given, frame) => {
      const shown = shownByGroup(trackWith({ ...given, sync: [0, ...given.sync] }), frame)
      assert.is(shown, shownIn(given.times, frame))
    }),
    { numRuns: 300 },
  )
})

test.run()
