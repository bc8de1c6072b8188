import { concatBytes } from '#core/bytes'
import { readIndex } from '#core/formats/mp4/readIndex'
import { readSamples } from '#core/formats/mp4/readSamples'
import { joinMovie } from '#core/formats/mp4/writeMovie'
import { bytesSource } from '#core/formats/source/byteSource'
import { joinParts, staysFilled } from '#core/media/prepare/joinParts'
import { assert, suite } from '#support/runner/suite'
import { collect } from '#support/values/collect'
import { trackOf } from '../../formats/mp4/sampleMp4'
import { previewTrack } from './previewTracks'

// What real parts become is in tests/flows/prepareParts.

const test = suite('joining parts')

/** A part of so many pictures, whose bytes say which they are. */
function part(frames: number, number: number, change: Parameters<typeof previewTrack>[1] = {}) {
  const samples = Array.from({ length: frames }, (_, frame) => Uint8Array.of(number, frame, 7))
  return bytesSource(joinMovie([{ track: { ...previewTrack(samples, change) }, samples }]))
}

const joinAll = (sources: readonly ReturnType<typeof part>[]) =>
  joinParts(
    sources.map((source) => ({ source, frames: undefined })),
    undefined,
  )

test('every sample of every part is there, in order, with a key frame each fourteen', async () => {
  const joined = await joinAll([part(28, 1), part(42, 2), part(7, 3)])
  if (!joined) throw new Error('not joined')
  const file = concatBytes(await collect(joined.bytes()))
  assert.equal([file.length, joined.frames], [joined.size, 77])
  const { movie } = await readIndex(bytesSource(file))
  assert.is(movie?.tracks.length, 1)
  const track = trackOf(file)
  const range = { samples: track.samples, first: 0, end: track.samples.count }
  const [samples = []] = await readSamples(bytesSource(file), [range])
  const expected = [28, 42, 7].flatMap((frames, index) =>
    Array.from({ length: frames }, (_, frame) => [index + 1, frame, 7]),
  )
  const found = samples.map((bytes) => [...bytes])
  assert.equal(found, expected)
  const sync = expected.map((_, frame) => Number(frame % 14 === 0))
  assert.equal([...track.samples.sync], sync)
  assert.is(track.durationSeconds, 77 / 30)
})

test('parts that are not alike are not joined', async () => {
  const unlike = {
    'another picture parameter set': part(14, 2, { pps: 9 }),
    'another clock': part(14, 2, { timescale: 30_000 }),
    'a group that is too short': part(14, 2, { groupFrames: 5 }),
    'no MP4': bytesSource(new Uint8Array(100)),
  }
  for (const [what, source] of Object.entries(unlike))
    assert.is(await joinAll([part(28, 1), source]), undefined, what)
  assert.is(await joinAll([]), undefined)
})

test('a part with another number of pictures than planned is not joined', async () => {
  const parts = [
    { source: part(28, 1), frames: 42 },
    { source: part(28, 2), frames: undefined },
  ]
  assert.is(await joinParts(parts, undefined), undefined)
})

test('what would empty the buffer of a decoder is not joined', async () => {
  const samples = Array.from({ length: 14 }, () => new Uint8Array(200_000))
  const source = bytesSource(joinMovie([{ track: previewTrack(samples), samples }]))
  assert.is(await joinAll([part(28, 1), source]), undefined)
})

test('sound that cannot be read is not left out silently', async () => {
  const parts = [{ source: part(28, 1), frames: 28 }]
  assert.is(await joinParts(parts, part(28, 2)), undefined)
})

// 100 bytes, filled with 10 a second, one sample a second.
const buffer = { bits: 800, bitsPerSecond: 80, initialBits: 720 }
const stays = (...sizes: readonly number[]) => staysFilled(Uint32Array.from(sizes), buffer, 1)

test('a sample may take what there is, and no more', () => {
  assert.ok(stays(90))
  assert.not(stays(91))
})

test('what flows in between is there for the next one', () => {
  assert.ok(stays(90, 10, 10))
  assert.not(stays(90, 11))
})

test('what does not fit in is lost', () => {
  assert.ok(stays(0, 0, 0, 100))
  assert.not(stays(0, 0, 0, 101))
})
