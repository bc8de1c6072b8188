import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { runs, UNITY_MATRIX } from '@lantern-room/mp4'
import { encodeBox, encodeFullBox, uint32List, uint32s } from '@lantern-room/mp4/boxes'
import { encodeNumbered } from './metadataItems'
import { dataHandler, dataInformation, mediaHandler } from './quickTimeTrack'

/** A track of timed metadata. Its ticks are the movie's. */
export type MetadataTrack = {
  readonly keys: readonly (readonly [name: string, description: Uint8Array])[]
  /** The values of all keys: all samples are alike. */
  readonly values: readonly Uint8Array[]
  readonly start: number
  /** Of each sample. */
  readonly durations: readonly number[]
  /** References to the video besides `cdsc`. */
  readonly references?: readonly string[]
}

/** What a track must know of its movie; `offset` is the first byte of its samples in the file. */
type MetadataPlace = Readonly<Record<'trackId' | 'describedTrackId' | 'timescale' | 'offset', number>>

/** Values are numbered as their keys are. */
export function encodeSample({ values }: MetadataTrack): Uint8Array {
  return concatBytes(values.map((value, index) => encodeNumbered(index + 1, value)))
}

/** What says of which type a key's values are. @param number of the well-known types */
export function dataType(number: number): Uint8Array {
  return encodeBox('dtyp', uint32s(0, number))
}

/**
 * A `trak` box of timed metadata.
 * @see QuickTime File Format, "Timed Metadata Media"; docs/motion-photo.md, "Live Photo"
 */
export function encodeMetadataTrack(track: MetadataTrack, place: MetadataPlace): Uint8Array {
  const { start, durations, references = [] } = track
  const { timescale, describedTrackId, trackId } = place
  const duration = durations.reduce((sum, ticks) => sum + ticks, 0)
  const edits = start > 0 ? [2, start, 0xffffffff, 0x10000, duration, 0, 0x10000] : [1, duration, 0, 0x10000]
  return encodeBox(
    'trak',
    encodeFullBox(
      'tkhd',
      0xf,
      uint32s(0, 0, trackId, 0, start + duration, 0, 0, 0, 0),
      UNITY_MATRIX,
      uint32s(0, 0),
    ),
    encodeBox('edts', encodeFullBox('elst', 0, uint32s(...edits))),
    encodeBox('tref', ...['cdsc', ...references].map((type) => encodeBox(type, uint32s(describedTrackId)))),
    encodeBox(
      'mdia',
      encodeFullBox('mdhd', 0, uint32s(0, 0, timescale, duration, 0x55c40000)),
      mediaHandler('meta', 'Core Media Metadata'),
      encodeBox(
        'minf',
        encodeBox('gmhd', encodeFullBox('gmin', 0, uint32s(0x00408000, 0x80008000, 0))),
        dataHandler(),
        dataInformation(),
        encodeSampleTable(track, place),
      ),
    ),
  )
}

function encodeSampleTable(track: MetadataTrack, { offset }: MetadataPlace): Uint8Array {
  const { keys, durations } = track
  const count = durations.length
  const rows = runs(durations)
  const described = keys.map(([name, description], index) =>
    encodeNumbered(index + 1, concatBytes([encodeBox('keyd', asciiBytes(`mdta${name}`)), description])),
  )
  const entry = encodeBox('mebx', uint32s(0, 1), encodeBox('keys', ...described))
  return encodeBox(
    'stbl',
    encodeFullBox('stsd', 0, uint32s(1), entry),
    encodeFullBox('stts', 0, uint32s(rows.length / 2), uint32List(rows)),
    encodeFullBox('stsc', 0, uint32s(1, 1, count, 1)),
    encodeFullBox('stsz', 0, uint32s(encodeSample(track).length, count)),
    encodeFullBox('stco', 0, uint32s(1, offset)),
  )
}
