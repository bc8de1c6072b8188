import fc from 'fast-check'
import { MAX_SAMPLES_AT_ONCE, readSamples } from '#internal/mp4/movie/readSamples'
import type { SampleTable } from '#internal/mp4/movie/sampleTable'
import { bytesSource } from '#internal/mp4/source/byteSource'
import { countingSource } from '../../../support/media/countingSource'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { rejectedFormatError } from '../../../support/values/failures'

const test = suite('reading samples')

type Place = readonly [offset: number, size: number]

function tableOf(...places: readonly Place[]): SampleTable {
  return tableOfAll(places)
}

function tableOfAll(places: readonly Place[]): SampleTable {
  return {
    count: places.length,
    offsets: Float64Array.from(places, ([offset]) => offset),
    sizes: Uint32Array.from(places, ([, size]) => size),
    durations: new Uint32Array(places.length),
    compositionOffsets: undefined,
    sync: new Uint8Array(places.length),
  }
}

test('samples that lie close together, of any track, cost one read', async () => {
  const { source, reads } = countingSource(bytesSource(new Uint8Array(1_000_000)))
  const video = tableOf([1000, 100], [1300, 100], [500_000, 50])
  const audio = tableOf([1100, 200], [499_990, 10])
  const read = await readSamples(source, [
    { samples: video, first: 0, end: 3 },
    { samples: audio, first: 0, end: 2 },
  ])
  assert.equal(reads.map(String), ['1000,1400', '499990,500050'])
  const sizes = read.map((samples) => samples.map(({ length }) => length))
  assert.equal(sizes.map(String), ['100,100,50', '200,10'])
})

test('each sample is its own bytes, wherever they lie', async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
  const place = fc.tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 0, max: 56 }))
  await assertProperty(
    fc.asyncProperty(fc.array(fc.array(place), { maxLength: 3 }), async (tracks) => {
      const all = tracks.flat()
      // Of more bytes than the file has, some would be read again and again.
      fc.pre(all.reduce((sum, [, size]) => sum + size, 0) <= bytes.length)
      const ranges = tracks.map((places) => ({ samples: tableOf(...places), first: 0, end: places.length }))
      const expected = tracks.map((places) => places.map(([at, size]) => bytes.subarray(at, at + size)))
      assert.equal(await readSamples(bytesSource(bytes), ranges), expected)
    }),
  )
})

test('a table that points outside the file, or again and again into it, is refused before a read', async () => {
  const { source, reads } = countingSource(bytesSource(new Uint8Array(100)))
  const shared = Array.from({ length: 10_000 }, () => [0, 90] as const)
  const many = Array.from({ length: MAX_SAMPLES_AT_ONCE + 1 }, () => [0, 0] as const)
  for (const places of [[[90, 20]], [[2 ** 40, 1]], [[2 ** 53, 0xffffffff]], shared, many] as const) {
    const reading = readSamples(source, [{ samples: tableOfAll(places), first: 0, end: places.length }])
    await rejectedFormatError(reading, 'damaged')
  }
  assert.equal(reads, [])
})

test.run()
