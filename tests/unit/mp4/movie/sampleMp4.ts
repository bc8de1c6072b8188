import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { encodeBox, encodeFullBox, uint32List, uint32s } from '#internal/mp4/movie/boxes'
import { UNITY_MATRIX } from '#internal/mp4/movie/encodeTrack'
import { readMovie } from '#internal/mp4/movie/movie'
import type { Track } from '#internal/mp4/movie/track'
import { avcC } from '../../../support/media/previewMp4'
import { assert } from '../../../support/runner/suite'

/** A track to build: its chunks, each a list of sample sizes. */
export type SampleTrack = {
  readonly kind: 'vide' | 'soun'
  readonly timescale: number
  /** Of every sample, in the track's timescale. */
  readonly sampleDuration: number
  readonly chunks: readonly (readonly number[])[]
  /** Numbers of the sync samples, from 1; absent means no stss box. */
  readonly sync?: readonly number[]
  /** Rows of ctts: how many samples, which offset. */
  readonly composition?: readonly (readonly [number, number])[]
  /** Rows of elst: ticks of the movie timescale (1000), media time. */
  readonly edits?: readonly (readonly [number, number])[]
  readonly longOffsets?: boolean
}

export type SampleMp4 = {
  /** Top-level boxes in order; each chunk goes to the next `mdat`, in turn. */
  readonly order: readonly string[]
  readonly tracks: readonly SampleTrack[]
  readonly movieDuration?: number
}

/** 30 frames per second, 3 chunks of video between 2 of audio. */
export const videoTrack: SampleTrack = {
  kind: 'vide',
  timescale: 15360,
  sampleDuration: 512,
  chunks: [[40, 10], [11, 12, 13], [41]],
  sync: [1, 6],
  edits: [[200, 0]],
}

export const audioTrack: SampleTrack = {
  kind: 'soun',
  timescale: 48000,
  sampleDuration: 1024,
  chunks: [
    [5, 6, 7],
    [8, 9, 10],
  ],
  edits: [[107, 1024]],
}

export const fastStart: SampleMp4 = { order: ['ftyp', 'moov', 'mdat'], tracks: [videoTrack, audioTrack] }

/** Builds an MP4 whose samples all have bytes of their own, so that a wrong offset shows. */
export function buildMp4({ order, tracks, movieDuration = 200 }: SampleMp4): Uint8Array {
  const media = layOut(tracks, order.filter((type) => type === 'mdat').length)
  const build = (mediaStarts: readonly number[]) =>
    order.map((type, i) => {
      if (type === 'ftyp')
        return encodeBox('ftyp', asciiBytes('isom'), uint32s(512), asciiBytes('isomiso2avc1mp41'))
      if (type === 'moov') return moovBox(tracks, media, mediaStarts, movieDuration)
      if (type === 'mdat') return encodeBox('mdat', media.payloads[mdatIndex(order, i)] ?? new Uint8Array())
      return encodeBox(type, asciiBytes(`a box of type ${type}`))
    })
  // The index is as large with wrong offsets as with the right ones.
  const draft = build([])
  const mediaStarts = order.flatMap((type, i) => (type === 'mdat' ? [totalSize(draft.slice(0, i)) + 8] : []))
  return concatBytes(build(mediaStarts))
}

/** The bytes that sample `index` of track `track` is filled with. */
function sampleByte(track: number, index: number): number {
  return 0x80 + track * 0x20 + index
}

/** The bytes of every sample of every track. */
export function samplesOf(mp4: Uint8Array): Uint8Array[][] {
  return (readMovie(mp4).movie?.tracks ?? []).map(({ samples }) =>
    [...samples.offsets].map((offset, i) => mp4.subarray(offset, offset + (samples.sizes[i] ?? 0))),
  )
}

/**
 * Fails unless the first two tracks are those of `fastStart`, each sample with its own bytes where the index says.
 * @param counts samples of each track
 */
export function assertSamplesKept(mp4: Uint8Array, counts = [6, 6]): void {
  const tracks = samplesOf(mp4)
  assert.is(String(tracks.map(({ length }) => length)), String(counts))
  tracks.slice(0, 2).forEach((samples, t) => {
    samples.forEach((sample, i) => {
      const isKept = sample.length > 0 && sample.every((byte) => byte === sampleByte(t, i))
      assert.ok(isKept, `track ${t}, sample ${i}`)
    })
  })
}

/** A track of an MP4. @throws when there is none */
export function trackOf(mp4: Uint8Array, index = 0): Track {
  const track = readMovie(mp4).movie?.tracks[index]
  if (!track) throw new Error(`There is no track ${index}.`)
  return track
}

type Layout = {
  readonly payloads: readonly Uint8Array[]
  /** Per track and chunk: which payload, and where in it. */
  readonly places: readonly (readonly { readonly payload: number; readonly at: number }[])[]
}

/** Deals the tracks' chunks in turn, as muxers interleave them. */
function layOut(tracks: readonly SampleTrack[], payloadCount: number): Layout {
  const parts: Uint8Array[][] = Array.from({ length: payloadCount }, () => [])
  const places = tracks.map((): { payload: number; at: number }[] => [])
  const samplesDone = tracks.map(() => 0)
  const longest = Math.max(...tracks.map((track) => track.chunks.length))
  for (let chunk = 0, dealt = 0; chunk < longest; chunk++) {
    tracks.forEach((track, t) => {
      const payload = dealt++ % payloadCount
      const sizes = track.chunks[chunk]
      const target = parts[payload]
      if (!sizes || !target) return
      places[t]?.push({ payload, at: totalSize(target) })
      for (const size of sizes) {
        const index = samplesDone[t] ?? 0
        target.push(new Uint8Array(size).fill(sampleByte(t, index)))
        samplesDone[t] = index + 1
      }
    })
  }
  return { payloads: parts.map((part) => concatBytes(part)), places }
}

function moovBox(
  tracks: readonly SampleTrack[],
  media: Layout,
  starts: readonly number[],
  duration: number,
): Uint8Array {
  const mvhd = fullBox('mvhd', uint32s(0, 0, 1000, duration), new Uint8Array(80))
  const traks = tracks.map((track, t) => {
    const offsets = (media.places[t] ?? []).map(({ payload, at }) => (starts[payload] ?? 0) + at)
    return trakBox(track, t + 1, offsets)
  })
  return encodeBox('moov', mvhd, ...traks, encodeBox('udta', asciiBytes('kept')))
}

function trakBox(track: SampleTrack, id: number, offsets: readonly number[]): Uint8Array {
  const count = track.chunks.flat().length
  const mdhd = fullBox(
    'mdhd',
    uint32s(0, 0, track.timescale, count * track.sampleDuration),
    new Uint8Array(4),
  )
  const hdlr = fullBox('hdlr', uint32s(0), asciiBytes(track.kind), new Uint8Array(13))
  const edits = track.edits?.map(([ticks, time]) => [ticks, time, 0x10000])
  return encodeBox(
    'trak',
    fullBox('tkhd', uint32s(0, 0, id), new Uint8Array(24), UNITY_MATRIX, new Uint8Array(8)),
    edits ? encodeBox('edts', rows('elst', edits)) : new Uint8Array(),
    encodeBox('mdia', mdhd, hdlr, encodeBox('minf', encodeBox('stbl', ...tables(track, offsets)))),
  )
}

function tables(track: SampleTrack, offsets: readonly number[]): Uint8Array[] {
  const sizes = track.chunks.flat()
  const sync = track.sync?.map((number) => [number])
  const chunks = track.chunks.map((chunk, i) => [i + 1, chunk.length, 1])
  const shortOffsets = offsets.map((offset) => [offset])
  const entry = track.kind === 'vide' ? videoEntry() : audioEntry()
  return [
    fullBox('stsd', uint32s(1), entry),
    rows('stts', [[sizes.length, track.sampleDuration]]),
    ...(sync ? [rows('stss', sync)] : []),
    ...(track.composition ? [rows('ctts', track.composition)] : []),
    rows('stsc', chunks),
    fullBox('stsz', uint32s(0, sizes.length), uint32List(sizes)),
    track.longOffsets
      ? fullBox('co64', uint32s(offsets.length), ...offsets.map((offset) => uint32s(0, offset)))
      : rows('stco', shortOffsets),
  ]
}

function videoEntry(): Uint8Array {
  const size = Uint8Array.of(640 >> 8, 640 & 0xff, 360 >> 8, 360 & 0xff)
  return encodeBox('avc1', new Uint8Array(24), size, new Uint8Array(50), encodeBox('avcC', avcC))
}

function audioEntry(): Uint8Array {
  const channels = Uint8Array.of(0, 2, 0, 16, 0, 0, 0, 0)
  return encodeBox('mp4a', new Uint8Array(16), channels, Uint8Array.of(48000 >> 8, 48000 & 0xff, 0, 0))
}

export function fullBox(type: string, ...body: readonly Uint8Array[]): Uint8Array {
  return encodeFullBox(type, 0, ...body)
}

/** A full box that holds a count and rows of 32-bit numbers. */
function rows(type: string, values: readonly (readonly number[])[]): Uint8Array {
  return fullBox(type, uint32s(values.length), uint32List(values.flat()))
}

function mdatIndex(order: readonly string[], position: number): number {
  return order.slice(0, position).filter((type) => type === 'mdat').length
}

function totalSize(parts: readonly Uint8Array[]): number {
  return parts.reduce((size, part) => size + part.length, 0)
}
