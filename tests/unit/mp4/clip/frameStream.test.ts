import { planFrames, readFrameStream } from '#internal/mp4/clip/frameStream'
import type { SampleTable } from '#internal/mp4/movie/sampleTable'
import { bytesSource } from '#internal/mp4/source/byteSource'
import { countingSource } from '#support/media/countingSource'
import { assert, suite } from '#support/runner/suite'

const test = suite('stream of frames')
const GROUP = 4
const COUNT = 12

/** Samples of one unit with one byte, which is the sample's number. */
const bytes = Uint8Array.from({ length: COUNT * 5 }, (_, at) => [0, 0, 0, 1, Math.floor(at / 5)][at % 5] ?? 0)
const samples: SampleTable = {
  count: COUNT,
  sizes: new Uint32Array(COUNT).fill(5),
  offsets: Float64Array.from({ length: COUNT }, (_, index) => index * 5),
  durations: new Uint32Array(COUNT).fill(1),
  compositionOffsets: undefined,
  sync: Uint8Array.from({ length: COUNT }, (_, index) => (index % GROUP === 0 ? 1 : 0)),
}
const avc = {
  bytes: new Uint8Array(),
  lengthSize: 4,
  sps: [Uint8Array.of(0x67)],
  pps: [Uint8Array.of(0x68)],
}

/** The first and the end of each range of samples, one after the other, and which pictures of them are taken. */
function planned(...frames: readonly number[]) {
  const { ranges, pictures } = planFrames(samples, frames)
  return { ranges: ranges.flatMap(({ first, end }) => [first, end]), pictures }
}

/** The first byte of each unit in a stream with start codes. */
const unitsOf = (stream: Uint8Array) => [...stream].filter((_, at) => at % 5 === 4)

test('one frame needs its group up to itself', () => {
  assert.equal(planned(6), { ranges: [4, 7], pictures: [2] })
})

test('frames of one group share it, and pictures are counted through all groups', () => {
  assert.equal(planned(1, 2, 4, 11), { ranges: [0, 3, 4, 5, 8, 12], pictures: [1, 2, 3, 7] })
})

test('any set of frames finds each in its picture', () => {
  for (let set = 1; set < 1 << COUNT; set += 37) {
    const frames = Array.from({ length: COUNT }, (_, frame) => frame).filter((frame) => set & (1 << frame))
    const { ranges, pictures } = planFrames(samples, frames)
    const decoded = ranges.flatMap(({ first, end }) =>
      Array.from({ length: end - first }, (_, i) => first + i),
    )
    const found = pictures.map((picture) => decoded[picture])
    assert.equal(found, frames)
  }
})

test('the stream has the parameter sets before each group, and nothing else is read', async () => {
  const { source, reads } = countingSource(bytesSource(bytes))
  const { stream, pictures } = await readFrameStream(source, { samples, avc }, [5, 6])
  assert.equal(unitsOf(stream), [0x67, 0x68, 4, 5, 6])
  assert.equal(pictures, [1, 2])
  assert.equal(reads, [[20, 35]])
  const groups = await readFrameStream(source, { samples, avc }, [0, 4])
  assert.equal(unitsOf(groups.stream), [0x67, 0x68, 0, 0x67, 0x68, 4])
})

test.run()
