import { concatBytes } from '@lantern-room/base/bytes'
import fc from 'fast-check'
import { readBoxes } from '#internal/mp4/movie/boxes'
import type { NewTrack } from '#internal/mp4/movie/encodeTrack'
import { readMovie } from '#internal/mp4/movie/movie'
import { readSamples } from '#internal/mp4/movie/readSamples'
import type { Track } from '#internal/mp4/movie/track'
import { writeMovie } from '#internal/mp4/movie/writeMovie'
import { bytesSource } from '#internal/mp4/source/byteSource'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { isRangeError } from '../../../support/values/failures'
import { audioTrack, buildMp4, fastStart, trackOf, videoTrack } from './sampleMp4'

const test = suite('writing an MP4')

const source = buildMp4({ ...fastStart, order: ['ftyp', 'mdat', 'moov'] })
const [video, audio] = [trackOf(source), trackOf(source, 1)]

/** The same samples again, as a track to write. */
function copyOf({ samples, ...track }: Track, first = 0, end = samples.count): NewTrack {
  return {
    kind: track.kind === 'video' ? 'video' : 'audio',
    sampleEntry: track.sampleEntry,
    timescale: track.timescale,
    sizes: samples.sizes.slice(first, end),
    durations: samples.durations.slice(first, end),
    compositionOffsets: samples.compositionOffsets?.slice(first, end),
    sync: track.kind === 'video' ? samples.sync.slice(first, end) : undefined,
    edits: track.edits,
    display: track.kind === 'video' ? track.display : undefined,
  }
}

/** The file whose index this is: `samples` by track. */
function join(tracks: readonly NewTrack[], samples: readonly (readonly Uint8Array[])[]): Uint8Array {
  const { head, chunks } = writeMovie(tracks)
  return concatBytes([
    head,
    ...chunks.flatMap(({ track, first, end }) => samples[track]?.slice(first, end) ?? []),
  ])
}

test('a file has exactly the boxes of a clip in a motion photo', async () => {
  const tracks = [copyOf(video), copyOf(audio)]
  const ranges = [video, audio].map(({ samples }) => ({ samples, first: 0, end: samples.count }))
  const file = join(tracks, await readSamples(bytesSource(source), ranges))
  assert.equal(
    readBoxes(file)?.map(({ type, size }) => (type === 'moov' || type === 'mdat' ? type : [type, size])),
    [['ftyp', 24], ['free', 8], 'moov', 'mdat'],
  )
  const { timescale, durationSeconds } = readMovie(file).movie ?? {}
  assert.equal([timescale, durationSeconds], [15360, 0.2])
})

test('what is read back is what was asked for: any cut, any tables, any edits', async () => {
  const ticks = fc.integer({ min: 0, max: 100_000 })
  const sample = fc.record({ size: fc.integer({ min: 0, max: 50 }), duration: ticks, isSync: fc.boolean() })
  const edit = fc.record({
    durationSeconds: fc.integer({ min: 1, max: 90_000 }).map((length) => length / 90_000),
    mediaTime: fc.option(ticks, { nil: undefined }),
  })
  const trackOf = (kind: 'video' | 'audio') =>
    fc.record({
      kind: fc.constant(kind),
      samples: fc.array(sample, { maxLength: 40 }),
      offsets: fc.option(fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 40, maxLength: 40 }), {
        nil: undefined,
      }),
      edits: fc.array(edit, { maxLength: 3 }),
      matrix: fc.uint8Array({ minLength: 36, maxLength: 36 }),
      width: fc.integer({ min: 0, max: 0xffff_ffff }).map((fixed) => fixed / 0x10000),
    })
  const timescales = fc.constantFrom(90_000, 30_000, 600)
  await assertProperty(
    fc.asyncProperty(trackOf('video'), trackOf('audio'), timescales, async (first, second, timescale) => {
      const described = [first, second].map(({ kind, samples, offsets, edits, matrix, width }): NewTrack => {
        return {
          kind,
          sampleEntry: (kind === 'video' ? video : audio).sampleEntry,
          timescale: kind === 'video' ? 90_000 : timescale,
          sizes: Uint32Array.from(samples, ({ size }) => size),
          durations: Uint32Array.from(samples, ({ duration }) => duration),
          compositionOffsets: offsets && Int32Array.from(offsets.slice(0, samples.length)),
          sync: kind === 'video' ? Uint8Array.from(samples, ({ isSync }) => Number(isSync)) : undefined,
          edits,
          display: kind === 'video' ? { matrix, width, height: width / 2 } : undefined,
        }
      })
      const bytes = described.map(({ sizes }, track) =>
        [...sizes].map((size, index) => new Uint8Array(size).fill(track * 128 + index)),
      )
      const file = join(described, bytes)
      const { movie, problem } = readMovie(file)
      if (!movie) throw new Error(problem)
      const ranges = movie.tracks.map(({ samples }) => ({ samples, first: 0, end: samples.count }))
      assert.equal(await readSamples(bytesSource(file), ranges), bytes)
      described.forEach((track, index) => {
        const read = movie.tracks[index]
        assert.is(read?.timescale, track.timescale)
        assert.equal(read?.sampleEntry, track.sampleEntry)
        assert.equal(read?.samples.durations, track.durations)
        assert.equal(read?.samples.compositionOffsets, track.compositionOffsets)
        assert.equal(read?.samples.sync, track.sync ?? new Uint8Array(track.sizes.length).fill(1))
        const mediaTimes = read?.edits.map(({ mediaTime }) => mediaTime)
        assert.equal(
          mediaTimes,
          Array.from(track.edits, ({ mediaTime }) => mediaTime),
        )
        const ticks = track.durations.reduce((sum, duration) => sum + duration, 0)
        track.edits.forEach(({ durationSeconds, mediaTime }, row) => {
          const difference = (read?.edits[row]?.durationSeconds ?? 0) - durationSeconds
          // An edit that reaches beyond the samples, which may be shifted, ends with them.
          const isInside = (mediaTime ?? 0) + durationSeconds * track.timescale <= ticks - 5000
          assert.ok(difference < 1e-6 && (difference > -1e-6 || (mediaTime !== undefined && !isInside)))
        })
        if (track.display) {
          assert.equal(read?.display.matrix, track.display.matrix)
          assert.is(read?.display.width, track.display.width)
        }
      })
    }),
  )
})

test('a cut has the samples of the cut', async () => {
  const long = buildMp4({
    ...fastStart,
    tracks: [
      { ...videoTrack, chunks: [[40, 10, 11], [12, 13, 41], [9]] },
      { ...audioTrack, chunks: [[5, 6, 7, 8, 9], [10]] },
    ],
  })
  const track = trackOf(long)
  for (let first = 0; first < 7; first++) {
    for (let end = first; end <= 7; end++) {
      const samples = await readSamples(bytesSource(long), [{ samples: track.samples, first, end }])
      const file = join([copyOf(track, first, end)], samples)
      const read = readMovie(file).movie?.tracks[0]
      assert.is(read?.samples.count, end - first)
      for (let i = first; i < end; i++) {
        const at = read?.samples.offsets[i - first] ?? 0
        const from = track.samples.offsets[i] ?? 0
        const size = track.samples.sizes[i] ?? 0
        assert.equal(file.subarray(at, at + size), long.subarray(from, from + size))
      }
    }
  }
})

test('what does not fit 32 bits is refused, not cut', () => {
  const track = copyOf(video)
  assert.throws(() => writeMovie([{ ...track, sizes: track.sizes.fill(0xffffffff) }]), isRangeError)
  assert.throws(() => writeMovie([{ ...track, durations: track.durations.fill(0xffffffff) }]), isRangeError)
})

test.run()
