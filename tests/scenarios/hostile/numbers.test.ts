import { ServiceError } from '@lantern-room/base'
import { concatBytes } from '@lantern-room/base/bytes'
import { assembleMotionPhoto, bytesSource, cutClip, readNow } from '@lantern-room/formats'
import { extractFile, repairFile } from '@lantern-room/formats/files'
import { MOTION_PHOTO_PROFILES } from '@lantern-room/formats/make'
import { surveyMovie } from '@lantern-room/formats/video'
import { describeInspection } from '@lantern-room/media/apart'
import { serviceErrorOf } from '@lantern-room/media/make'
import { writeMovie } from '@lantern-room/mp4'
import { encodeBox, readBoxes } from '@lantern-room/mp4/boxes'
import { sizeOfParts } from '@lantern-room/mp4/source'
import fc from 'fast-check'
import { sourceRateOf } from '#internal/media/photo/clip/findSource'
import { indexedPreview, isCopied } from '#internal/media/photo/make/indexedPreview'
import { UNREAD } from '#internal/media/traits'
import { planFrameGroup } from '#internal/mp4/clip/frameGroup'
import { inWideForm, samplesAt, tableBox, withIndexBoxes } from '#support/media/indexBoxes'
import { ABSURD, type NumericField, numericFields, withNumbers } from '#support/media/numericFields'
import { UNEDITED } from '#support/media/prepared'
import { previewMp4 } from '#support/media/previewMp4'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { caseCount } from '#support/values/caseCount'
import { zipOf } from '../../unit/formats/livePhoto/sampleLivePhoto'
import { sampleParts } from '../../unit/formats/motionPhoto/sampleParts'

// Absurd numbers in the index of a video, alone and in pairs, before everything that reads it: work and memory follow the size of the
// file, not what its numbers say.

const test = suite('absurd numbers in a video', { timeoutMs: 900_000 })

/** Of one call; the slowest takes half a second on a usual machine, and what follows a number of the file takes minutes. */
const MOST_MS = 4000
/** What all calls together need beyond what the first of them have taken, garbage included, of which some versions of Node keep more. */
const MOST_BYTES = 400 * 1024 * 1024
/** What is written is the file, and a new index. */
const MORE_BYTES = 200_000

/** As previews are, in the forms of 32 and of 64 bits, and without edits, which end what is shown; pictures as cameras order them. */
const plain = previewMp4({ soundSeconds: 3 })
const NOTHING = new Uint8Array()
const bare = withIndexBoxes(withIndexBoxes(plain, 'soun', { edts: NOTHING }), 'vide', {
  edts: NOTHING,
  ctts: tableBox('ctts', ...Array.from({ length: 90 }, (_, index) => [1, index % 3 === 1 ? 1536 : 512])),
})
const videos: Readonly<Record<string, Uint8Array>> = { plain, wide: inWideForm(plain), bare }
const motionPhoto = assembleMotionPhoto({ ...sampleParts, clip: plain, profile: 'universal' })
const clipAt = readMotionPhoto(motionPhoto)?.clip?.offset ?? 0

type Call = (bytes: Uint8Array) => Promise<number | undefined>

const WISH = { speed: 1, quality: 'source', edit: UNEDITED, mute: false, end: 30, cover: 0 } as const

/** What is done with a video. @returns the bytes that are written */
const videoCalls: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(
    [
      [0, 1, 1],
      [0.5, 30, 1],
      [0, 3, 0.1],
      [0, 3, 4],
      [1e6, 1e6 + 3, 1],
    ].map(([start = 0, end = 0, speed = 1]) => [
      `a clip from ${start} to ${end} at ${speed}`,
      async (bytes: Uint8Array) =>
        (await cutClip(bytesSource(bytes), { stream: 0, start, end, speed })).mp4?.length,
    ]),
  ),
  'the survey and the cover': async (bytes) => {
    const { movie } = await surveyMovie(bytesSource(bytes))
    const [track] = movie?.tracks ?? []
    if (!track) return undefined
    for (const frame of [0, 45, 1_000_000]) {
      const group = planFrameGroup(track, frame, 30)
      if (group) writeMovie([group.movie])
    }
    return undefined
  },
  'the plan of a photo': async (bytes) => {
    const { movie } = await surveyMovie(bytesSource(bytes))
    const video = { movie, path: '', kind: 'video', clocks: undefined, capture: () => undefined } as const
    for (const start of [0, 1e9]) {
      isCopied({ ...WISH, start }, video, bytes.length)
      indexedPreview({ ...WISH, start }, video, 900, bytes.length)
    }
    const traits = { ...UNREAD, size: { width: 640, height: 360 } }
    const plan = { startFrame: 0, sourceFrames: 90, clipFrames: 900, speed: 0.1 }
    await sourceRateOf({ original: { bytes: bytesSource(bytes), traits }, plan, edit: UNEDITED })
    return undefined
  },
  'the repair of a Live Photo with it': async (bytes) => {
    const zip = zipOf({ name: 'A.JPG', bytes: sampleParts.cover }, { name: 'A.MOV', bytes })
    return mend(zip)
  },
}

async function mend(file: Uint8Array): Promise<number> {
  const { parts } = readNow(
    repairFile({ size: file.length }, { profile: undefined, newIdentifier: 'A-B' }),
    file,
  )
  return sizeOfParts(parts)
}

/** What is done with a photo in which such a video is. */
const photoCalls: Readonly<Record<string, Call>> = {
  'its clip and its verdicts': async (bytes) => {
    const { inspection, parts } = readNow(extractFile({ size: bytes.length }, 'clip'), bytes)
    JSON.stringify(describeInspection(inspection))
    return sizeOfParts(parts)
  },
  ...Object.fromEntries(
    MOTION_PHOTO_PROFILES.map((profile) => [
      `its repair for ${profile}`,
      async (bytes: Uint8Array) => {
        const wish = { profile, newIdentifier: 'A-B' }
        return sizeOfParts(readNow(repairFile({ size: bytes.length }, wish), bytes).parts)
      },
    ]),
  ),
}

/** Errors that blame the file. */
const REFUSALS = ['invalid-request', 'unprocessable', 'unsupported-media', 'payload-too-large']

async function check(calls: Readonly<Record<string, Call>>, bytes: Uint8Array, what: string): Promise<void> {
  for (const [name, call] of Object.entries(calls)) {
    const before = process.cpuUsage()
    const written = await call(bytes).catch((thrown: unknown) => {
      const error = serviceErrorOf(thrown)
      const isRefused = error instanceof ServiceError && REFUSALS.includes(error.code)
      assert.ok(isRefused, `${what}: ${name}: ${error instanceof Error ? error.stack : error}`)
      return undefined
    })
    const { user, system } = process.cpuUsage(before)
    assert.ok((user + system) / 1000 < MOST_MS, `${what}: ${name}: ${(user + system) / 1000} ms`)
    assert.ok((written ?? 0) <= bytes.length + MORE_BYTES, `${what}: ${name}: ${written} bytes`)
  }
}

type Change = readonly [field: NumericField, value: bigint]
const wordsOf = (changes: readonly Change[]) =>
  changes.map(([{ name }, value]) => `${name} = ${value}`).join(', ')

async function checkWith(form: string, changes: readonly Change[]): Promise<void> {
  const video = videos[form] ?? new Uint8Array()
  const what = `${form}: ${wordsOf(changes)}`
  await check(videoCalls, withNumbers(video, changes), what)
  if (form === 'plain') await check(photoCalls, withNumbers(motionPhoto, changes, clipAt), what)
}

/** Fails when the work has needed more memory than it may, of which the system keeps the maximum. */
async function inLittleMemory(work: () => Promise<void>): Promise<void> {
  for (const form of Object.keys(videos)) await checkWith(form, [])
  const before = process.resourceUsage().maxRSS
  await work()
  const more = (process.resourceUsage().maxRSS - before) * 1024
  assert.ok(more < MOST_BYTES, `${more} bytes more`)
}

for (const [form, video] of Object.entries(videos)) {
  const fields = numericFields(video)

  test(`${form}: each of its numbers, alone`, async () => {
    assert.ok(fields.length > 100, `${fields.length} numbers`)
    await inLittleMemory(async () => {
      for (const field of fields) for (const value of ABSURD) await checkWith(form, [[field, value]])
    })
  })

  test(`${form}: two and three of them`, async () => {
    const change = fc.tuple(fc.constantFrom(...fields), fc.constantFrom(...ABSURD))
    await inLittleMemory(async () => {
      await assertProperty(
        fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 3 }), (changes) =>
          checkWith(form, changes),
        ),
        { numRuns: caseCount(300, 3000) },
      )
    })
  })
}

/** As many as an index may name. */
const MANY = 990_000

const many: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>> = {
  'one after the other': samplesInOneChunk(MANY, 512),
  'at one time': samplesInOneChunk(MANY, 0),
  'at one place': samplesAt(60, MANY, 1, 512),
}
for (const [name, changed] of Object.entries(many)) {
  for (const handler of ['vide', 'soun'] as const) {
    test(`990,000 samples ${name} in a track ${handler}`, async () => {
      const padding = encodeBox('free', new Uint8Array(MANY))
      const video = concatBytes([
        withIndexBoxes(bare, handler, { ...changed, ctts: NOTHING, stss: NOTHING }),
        padding,
      ])
      await inLittleMemory(() => check(videoCalls, video, name))
    })
  }
}

test('an index of as many boxes as there are bytes for', async () => {
  const small = new Uint8Array(4 * 8 * 65_536).map((_, at) => [0, 0, 0, 8, 102, 114, 101, 101][at % 8] ?? 0)
  const whole = readBoxes(plain)?.find(({ type }) => type === 'moov')
  if (!whole) throw new Error('no index')
  const traks = Array.from({ length: 8 }, () => encodeBox('trak', small))
  const index = encodeBox('moov', whole.body, ...traks)
  await inLittleMemory(() => check(videoCalls, index, 'boxes'))
})

function samplesInOneChunk(count: number, ticks: number) {
  const { stsz, stts } = samplesAt(60, count, 1, ticks)
  return { stsz, stts, stsc: tableBox('stsc', [1, count, 1]), stco: tableBox('stco', [60]) }
}

test.run()
