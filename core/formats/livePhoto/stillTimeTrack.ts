import { asciiBytes, concatBytes } from '#core/bytes'
import { encodeBox, encodeFullBox, uint32s } from '../mp4/boxes'
import { UNITY_MATRIX } from '../mp4/encodeTrack'
import { encodeNumbered } from './metadataItems'
import { dataHandler, dataInformation, mediaHandler } from './quickTimeTrack'

export const STILL_TIME_KEY = 'com.apple.quicktime.still-image-time'

/** Well-known type 65: a signed byte. */
const INT8 = 65
const KEY_ID = 1

/** The only sample of the track. Its time tells where the still is; its value, as cameras write it, is -1. */
export const STILL_TIME_SAMPLE = encodeNumbered(KEY_ID, Uint8Array.of(0xff))

/** How long the mark of the still lasts: one frame at 30 a second. */
const MARK_SECONDS = 1 / 30

/**
 * Where the mark of a moment lies in a movie.
 * @param stillUs microseconds from the movie's start
 * @returns ticks of the movie
 */
export function markPlace(
  { timescale, durationSeconds }: { readonly timescale: number; readonly durationSeconds: number },
  stillUs: number,
): Pick<StillTime, 'timescale' | 'start' | 'duration'> {
  const ticks = Math.round(durationSeconds * timescale)
  const start = Math.max(0, Math.min(Math.round((stillUs / 1e6) * timescale), ticks - 1))
  return {
    timescale,
    start,
    duration: Math.max(1, Math.min(Math.round(timescale * MARK_SECONDS), ticks - start)),
  }
}

export type StillTime = {
  readonly trackId: number
  /** The id of the video track. */
  readonly describedTrackId: number
  /** Ticks per second; the next three are in ticks. */
  readonly timescale: number
  readonly start: number
  readonly duration: number
  /** First byte of the sample in the file. */
  readonly offset: number
}

/**
 * A `trak` box of timed metadata that says at which moment of the movie the still was taken.
 * @see QuickTime File Format, "Timed Metadata Media"; docs/motion-photo.md, "Live Photo"
 */
export function encodeStillTimeTrack(time: StillTime): Uint8Array {
  const { timescale, start, duration } = time
  const edits = start > 0 ? [2, start, 0xffffffff, 0x10000, duration, 0, 0x10000] : [1, duration, 0, 0x10000]
  return encodeBox(
    'trak',
    encodeFullBox(
      'tkhd',
      0xf,
      uint32s(0, 0, time.trackId, 0, start + duration, 0, 0, 0, 0),
      UNITY_MATRIX,
      uint32s(0, 0),
    ),
    encodeBox('edts', encodeFullBox('elst', 0, uint32s(...edits))),
    encodeBox('tref', encodeBox('cdsc', uint32s(time.describedTrackId))),
    encodeBox(
      'mdia',
      encodeFullBox('mdhd', 0, uint32s(0, 0, timescale, duration, 0x55c40000)),
      mediaHandler('meta', 'Core Media Metadata'),
      encodeBox(
        'minf',
        encodeBox('gmhd', encodeFullBox('gmin', 0, uint32s(0x00408000, 0x80008000, 0))),
        dataHandler(),
        dataInformation(),
        encodeSampleTable(time),
      ),
    ),
  )
}

function encodeSampleTable({ duration, offset }: StillTime): Uint8Array {
  const key = concatBytes([
    encodeBox('keyd', asciiBytes(`mdta${STILL_TIME_KEY}`)),
    encodeBox('dtyp', uint32s(0, INT8)),
  ])
  const entry = encodeBox('mebx', uint32s(0, 1), encodeBox('keys', encodeNumbered(KEY_ID, key)))
  return encodeBox(
    'stbl',
    encodeFullBox('stsd', 0, uint32s(1), entry),
    encodeFullBox('stts', 0, uint32s(1, 1, duration)),
    encodeFullBox('stsc', 0, uint32s(1, 1, 1, 1)),
    encodeFullBox('stsz', 0, uint32s(STILL_TIME_SAMPLE.length, 1)),
    encodeFullBox('stco', 0, uint32s(1, offset)),
  )
}
