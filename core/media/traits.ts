import { METADATA_LOSSES, type MetadataLoss } from '@lantern-room/formats/make'
import { z } from 'zod'
import type { Fields } from './storedFields'

/**
 * Properties of pictures that the parts of the media service exchange: those of an upload and of its preview. Those that are kept
 * with a session, because its cover is taken later, are named as its record names them.
 */

/** The primaries that are told apart, in ffmpeg's words: BT.709, Display P3, BT.2020. Others count as BT.709. */
export const PRIMARIES = ['bt709', 'smpte432', 'bt2020'] as const
export type Primaries = (typeof PRIMARIES)[number]

const pixels = z.int().positive()
const count = z.int().nonnegative()

/** How a file is read in which ffmpeg cannot seek to key frames. */
const unindexed = z.object({
  /**
   * The sound that is opened beside the pictures (ffmpeg's `a:0`): in some formats ffmpeg counts times from the first packet of
   * the streams that it reads, and covers must have the same zero as a preview with sound.
   */
  sound: count.nullable(),
  /** Whether pictures are shown up to a frame early, since the first one begins only just after the sound. */
  rounds_down: z.boolean(),
  /** Whether the decoder shows pictures before the first key frame, which are grey because what they refer to is missing. */
  starts_grey: z.boolean(),
})
export type Unindexed = Fields<z.infer<typeof unindexed>>

/** Properties of a decoded picture that filters need. */
const picture = z.object({
  /** Matrix of the picture's YUV; where the file does not say, as players guess. */
  matrix: z.enum(['bt709', 'bt601', 'bt2020']),
  primaries: z.enum(PRIMARIES),
  /** The transfer curve when it is one of the high dynamic range, PQ or HLG, in ffmpeg's words. */
  hdr_transfer: z.enum(['smpte2084', 'arib-std-b67']).nullable(),
  has_alpha: z.boolean(),
  is_interlaced: z.boolean(),
  /** The decoder to name: ffmpeg's default does not see the transparency of WebM; that of Theora gets one thread. */
  decoder: z.enum(['libvpx', 'libvpx-vp9', 'theora']).nullable(),
  /** Absent for files that have an index of their key frames. */
  unindexed: unindexed.nullish(),
})
export type PictureTraits = Fields<z.infer<typeof picture>>
export type HdrTransfer = NonNullable<PictureTraits['hdrTransfer']>
export type NamedDecoder = NonNullable<PictureTraits['decoder']>

/** How the original of a session must be read when a cover is taken from it. */
export const originalTraits = picture.extend({
  /** The preview's first frame, counted from the beginning of the original at 30 a second; 0 unless it shows a part. */
  first_frame: count,
  /** Which of the file's video streams is meant, counted from 0 and without covers: ffmpeg's `V:0`. */
  stream: count,
  /** As the container numbers it: the track of an MP4. Null where it is not known. */
  stream_id: count.nullable(),
  /** Whether the first of its streams begins at time 0: then ffmpeg's times are those of the file. */
  starts_at_zero: z.boolean(),
  /** Whether decoding can start in the middle and every picture still has its time. */
  is_seekable: z.boolean(),
  kind: z.enum(['video', 'animated-image', 'webp']),
  /** As shown. */
  size: z.object({ width: pixels, height: pixels }),
})
export type OriginalTraits = Fields<z.infer<typeof originalTraits>>
export type SourceKind = OriginalTraits['kind']

/** Those of a whole file whose pictures ffmpeg does not read. */
export const UNREAD = {
  firstFrame: 0,
  stream: 0,
  streamId: undefined,
  matrix: 'bt709',
  primaries: 'bt709',
  hdrTransfer: undefined,
  hasAlpha: false,
  isInterlaced: false,
  decoder: undefined,
  isSeekable: true,
  startsAtZero: true,
} as const

/** A moment, and where on earth it was. */
const captureTime = z.object({
  /** Unix time in milliseconds. */
  unix_ms: z.number(),
  /** Minutes that the clocks there were ahead of UTC; null where the file does not say. */
  offset_minutes: z.int().nullable(),
  /** Whether `unix_ms` is what the clocks there showed, as if they showed UTC: where only that is known. @default false */
  is_local: z.boolean().nullish(),
  /** Whether it is a day alone, whose local midnight `unix_ms` is then. @default false */
  is_day: z.boolean().nullish(),
})
export type CaptureTime = Fields<z.infer<typeof captureTime>>

/** What tells the zone of a time: what tells the time, or a comparison of two sources. */
export const KNOWN_ZONES = ['photo', 'video', 'name', 'compared'] as const
export type KnownZone = (typeof KNOWN_ZONES)[number]

/** When, where and with what a video was recorded, as far as its file and its name say. */
export const recording = z.object({
  time: captureTime.nullable(),
  /** What says the time: the video (default), the photo in which it was, or the name of its file. */
  time_from: z.enum(['video', 'photo', 'name']).nullish(),
  /** What says its offset; of older records, what says the time. */
  zone_from: z.enum(KNOWN_ZONES).nullish(),
  /** The name under which the file was sent, as the client gave it. */
  file_name: z.string().nullish(),
  /** @see Place */
  place: z
    .object({ latitude: z.number(), longitude: z.number(), altitude: z.number().nullable() })
    .nullable(),
  /** Printable ASCII, as is the next one. */
  maker: z.string().nullable(),
  model: z.string().nullable(),
})
export type Capture = Fields<z.infer<typeof recording>>

/** The clocks of a video's file. */
export type VideoClocks = {
  /** Its beginning, with an offset. */
  readonly told?: CaptureTime | undefined
  /** The one of its header. */
  readonly header?: HeaderClock | undefined
  /** Minutes ahead of UTC, where the file tells them apart from a time. */
  readonly offsetMinutes?: number | undefined
  /** Its length; 0 where it is unknown. */
  readonly seconds: number
}

export type HeaderClock = {
  /** Unix time in milliseconds; of a local time as if that was UTC. */
  readonly unixMs: number
  /**
   * Who writes it, which says what it means: Android the end in UTC, Apple the beginning in UTC, some cameras (`local`) the
   * beginning as their clock shows it. `other`: presumably the beginning in UTC.
   */
  readonly writer: 'android' | 'apple' | 'local' | 'other'
}

/** What the file of a video says of its recording. */
export type Recording = Pick<Capture, 'place' | 'maker' | 'model'> & {
  readonly clocks?: VideoClocks | undefined
}

export const UNKNOWN_CAPTURE: Capture = {
  time: undefined,
  place: undefined,
  maker: undefined,
  model: undefined,
}

/** How the tiles of a filmstrip lie in its picture: in one column, tile `i` showing frame `i × interval`. */
export const filmstrip = z.object({
  tile_width: pixels.meta({ description: 'Pixels of a tile.', example: 160 }),
  tile_height: pixels.meta({ example: 90 }),
  row_height: pixels.meta({
    description: 'Pixels from the top of a tile to the top of the next; the rest of a row is filling.',
    example: 96,
  }),
  tiles: z.int().positive().meta({ example: 60 }),
  interval: z.int().positive().meta({
    description: 'Tile i shows frame i × interval of the preview, and is the frame of that number and width.',
    example: 5,
  }),
})
export type Filmstrip = Fields<z.infer<typeof filmstrip>>

/** The picture of a motion photo or Live Photo that was the source. */
export const sourceStill = z.object({
  /** The moment that it shows, in seconds of the source's video; null where the photo does not say. */
  seconds: z.number().nonnegative().nullable(),
  /** What of the photo is not in the picture, as `lossesIn` reads it. Absent: nothing. */
  lost: z.string().nullish(),
})
export type SourceStill = Fields<z.infer<typeof sourceStill>>

/** What `lost` of a source's picture names, with spaces between the words. */
export function lossesIn(lost = ''): MetadataLoss[] {
  return METADATA_LOSSES.filter((loss) => lost.split(' ').includes(loss))
}

/** Bytes of a picture that becomes a cover as a whole. Those of phones have up to some 20 MB. */
export const MAX_PICTURE_BYTES = 32 * 1024 * 1024

/** A finished preview, not yet stored. */
export type Preview = {
  /** The MP4, in the task's folder. */
  readonly path: string
  /** Frames at 30 a second. */
  readonly frames: number
  readonly width: number
  readonly height: number
  readonly hasAudio: boolean
  /** Whether the original has sound that cannot be decoded here, so that the preview has none. @default false */
  readonly isSoundLost?: boolean
  /** Length of the whole original; undefined when it is not known. */
  readonly sourceSeconds: number | undefined
  /** The JPEG of its tiles in the task's folder, where one was made. */
  readonly strip?: { readonly path: string; readonly layout: Filmstrip } | undefined
  readonly capture: Recording
  readonly original: OriginalTraits
  /** The picture of a photo that was the source, a file in the task's folder. */
  readonly still?: (SourceStill & { readonly path: string }) | undefined
}

/** One whose recording is decided, with the photo and the name that came with it. */
export type DatedPreview = Preview & { readonly capture: Capture }
