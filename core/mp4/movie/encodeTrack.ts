import { asciiBytes } from '@lantern-room/base/bytes'
import { numberAt } from '../source/reading'
import { encodeBox, encodeFullBox, uint32List, uint32s } from './boxes'
import type { Edit } from './edits'
import type { Chunk } from './interleave'
import { type SampleTable, total } from './sampleTable'
import type { Display, Track } from './track'

/** A track to write: a description, and one row per sample in decoding order. */
export type NewTrack = Pick<Track, 'sampleEntry' | 'timescale'> &
  Pick<SampleTable, 'sizes' | 'durations' | 'compositionOffsets'> & {
    readonly kind: 'video' | 'audio'
    /** 1 where decoding may start, else 0; undefined when it may start anywhere. */
    readonly sync: Uint8Array | undefined
    /** Empty: all samples are presented, from their beginning. */
    readonly edits: readonly Pick<Edit, 'durationSeconds' | 'mediaTime'>[]
    /** Undefined for sound. */
    readonly display: Display | undefined
  }

/** What a track must know of the movie that it is in. */
export type TrackPlace = {
  readonly id: number
  readonly movieTimescale: number
  /** How long the track is presented, in ticks of the movie. */
  readonly movieDuration: number
  readonly chunks: readonly Chunk[]
  /** Where each of the chunks begins in the file. */
  readonly offsets: readonly number[]
}

const TRACK_ENABLED = 1
const TRACK_IN_MOVIE = 2
/** In this very file, and nowhere else. */
const SELF_CONTAINED = 1
const EMPTY_EDIT = -1
/** Version 1 of `ctts`. */
const SIGNED_OFFSETS = 0x1000000
/** Three letters of five bits each, "und", and two bytes that are reserved. */
const UNDETERMINED_LANGUAGE = 0x55c40000
export const UNITY_MATRIX = uint32s(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)

/** A `trak` box. @throws RangeError when a number does not fit 32 bits */
export function encodeTrack(track: NewTrack, place: TrackPlace): Uint8Array {
  const isVideo = track.kind === 'video'
  const media = isVideo ? encodeFullBox('vmhd', 1, uint32s(0, 0)) : encodeFullBox('smhd', 0, uint32s(0))
  const dref = encodeFullBox('dref', 0, uint32s(1), encodeFullBox('url ', SELF_CONTAINED))
  return encodeBox(
    'trak',
    encodeTkhd(track, place),
    ...encodeEdits(track, place.movieTimescale),
    encodeBox(
      'mdia',
      encodeFullBox('mdhd', 0, uint32s(0, 0, track.timescale, total(track.durations), UNDETERMINED_LANGUAGE)),
      encodeFullBox(
        'hdlr',
        0,
        uint32s(0),
        asciiBytes(isVideo ? 'vide' : 'soun'),
        uint32s(0, 0, 0),
        asciiBytes(isVideo ? 'VideoHandler\0' : 'SoundHandler\0'),
      ),
      encodeBox('minf', media, encodeBox('dinf', dref), encodeStbl(track, place)),
    ),
  )
}

function encodeTkhd({ display }: NewTrack, { id, movieDuration }: TrackPlace): Uint8Array {
  const size = display ? [display.width, display.height] : [0, 0]
  return encodeFullBox(
    'tkhd',
    TRACK_ENABLED | TRACK_IN_MOVIE,
    uint32s(0, 0, id, 0, movieDuration, 0, 0),
    // Layer and alternate group, then the volume: sound plays at 1.0.
    uint32s(display ? 0 : 1, display ? 0 : 0x1000000),
    display?.matrix ?? UNITY_MATRIX,
    uint32s(...size.map((pixels) => Math.round(pixels * 0x10000))),
  )
}

function encodeEdits({ edits }: NewTrack, movieTimescale: number): Uint8Array[] {
  if (edits.length === 0) return []
  const rows = edits.flatMap(({ durationSeconds, mediaTime }) => [
    Math.round(durationSeconds * movieTimescale),
    mediaTime ?? EMPTY_EDIT,
    0x10000,
  ])
  return [encodeBox('edts', encodeFullBox('elst', 0, uint32s(edits.length, ...rows)))]
}

function encodeStbl(track: NewTrack, { chunks, offsets }: TrackPlace): Uint8Array {
  const { compositionOffsets, sync, sizes } = track
  const isSigned = compositionOffsets?.some((offset) => offset < 0)
  return encodeBox(
    'stbl',
    encodeFullBox('stsd', 0, uint32s(1), track.sampleEntry),
    table('stts', runs(track.durations)),
    ...(sync ? [table('stss', syncNumbers(sync), 1)] : []),
    ...(compositionOffsets
      ? [table('ctts', runs(compositionOffsets), 2, isSigned ? SIGNED_OFFSETS : 0)]
      : []),
    table('stsc', chunkRuns(chunks), 3),
    encodeFullBox('stsz', 0, uint32s(0, sizes.length), uint32List(sizes)),
    table('stco', offsets, 1),
  )
}

/** Rows of `stsc`: from which chunk on, how many samples each has. */
function chunkRuns(chunks: readonly Chunk[]): number[] {
  const counts = chunks.map(({ first, end }) => end - first)
  return counts.flatMap((count, chunk) => (count === counts[chunk - 1] ? [] : [chunk + 1, count, 1]))
}

/**
 * Rows of `stts` and `ctts`: how many samples have the same value.
 * @example
 * runs([40, 40, 60]) // [2, 40, 1, 60]
 */
export function runs(values: ArrayLike<number>): number[] {
  const rows: number[] = []
  for (let i = 0, first = 0; i < values.length; i++) {
    if (values[i] === values[i + 1] && i + 1 < values.length) continue
    rows.push(i + 1 - first, numberAt(values, i))
    first = i + 1
  }
  return rows
}

/** Sync samples are counted from 1. */
function syncNumbers(sync: Uint8Array): number[] {
  return [...sync.keys()].flatMap((index) => (sync[index] === 1 ? [index + 1] : []))
}

function table(type: string, values: readonly number[], columns = 2, versionAndFlags = 0): Uint8Array {
  return encodeFullBox(type, versionAndFlags, uint32s(values.length / columns), uint32List(values))
}

/** Samples `first` up to `end` (not included) of a track, to be written as a track like it. */
export function sliceTrack(
  track: Track,
  first: number,
  end: number,
  edits: NewTrack['edits'] = [],
): NewTrack {
  const { samples } = track
  const isVideo = track.kind === 'video'
  return {
    kind: isVideo ? 'video' : 'audio',
    sampleEntry: track.sampleEntry,
    timescale: track.timescale,
    sizes: samples.sizes.slice(first, end),
    durations: samples.durations.slice(first, end),
    compositionOffsets: samples.compositionOffsets?.slice(first, end),
    sync: isVideo ? samples.sync.slice(first, end) : undefined,
    edits,
    display: isVideo ? track.display : undefined,
  }
}
