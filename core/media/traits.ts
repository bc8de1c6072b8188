import type { Place, Size } from '#core/formats/source/facts'

/** Properties of pictures that the parts of the media service exchange: those of an upload and of its preview. */

/** PQ or HLG, in ffmpeg's words. */
export type HdrTransfer = 'smpte2084' | 'arib-std-b67'

/** The primaries that are told apart, in ffmpeg's words: BT.709, Display P3, BT.2020. Others count as BT.709. */
export const PRIMARIES = ['bt709', 'smpte432', 'bt2020'] as const
export type Primaries = (typeof PRIMARIES)[number]

/** Decoders that see the transparency of WebM, which ffmpeg's own do not. */
export const ALPHA_DECODERS = ['libvpx', 'libvpx-vp9'] as const
export type AlphaDecoder = (typeof ALPHA_DECODERS)[number]

/** Properties of a decoded picture that filters need; kept with the session, because the cover is taken later. */
export type PictureTraits = {
  /** Matrix of the picture's YUV; where the file does not say, as players guess. */
  readonly matrix: 'bt709' | 'bt601' | 'bt2020'
  readonly primaries: Primaries
  /** The transfer curve when it is one of the high dynamic range. */
  readonly hdrTransfer: HdrTransfer | undefined
  readonly hasAlpha: boolean
  readonly isInterlaced: boolean
  /** The decoder to use when it is not ffmpeg's default. */
  readonly decoder: AlphaDecoder | undefined
  /** Undefined for files that have an index of their key frames. */
  readonly unindexed?: Unindexed | undefined
}

/** How a file is read in which ffmpeg cannot seek to key frames. */
export type Unindexed = {
  /**
   * The sound that is opened beside the pictures (ffmpeg's `a:0`): in some formats ffmpeg counts times from the first packet of
   * the streams that it reads, and covers must have the same zero as a preview with sound.
   */
  readonly sound: number | undefined
  /** Whether pictures are shown up to a frame early, since the first one begins only just after the sound. */
  readonly roundsDown: boolean
  /** Whether the decoder shows pictures before the first key frame, which are grey because what they refer to is missing. */
  readonly startsGrey: boolean
}

/** A moment, and where on earth it was. */
export type CaptureTime = {
  /** Unix time in milliseconds. */
  readonly unixMs: number
  /** Minutes that the clocks there were ahead of UTC; undefined where the file does not say. */
  readonly offsetMinutes: number | undefined
  /** Whether `unixMs` is what the clocks there showed, as if they showed UTC: where only that is known. Default: no. */
  readonly isLocal?: boolean
}

/** When, where and with what a video was recorded, as far as its file says. */
export type Capture = {
  readonly time: CaptureTime | undefined
  /** What says the time: the video (default), the photo in which it was, or the name of its file. */
  readonly timeFrom?: 'video' | 'photo' | 'name' | undefined
  /** The name under which the file was sent, as the client gave it. */
  readonly fileName?: string | undefined
  readonly place: Place | undefined
  /** Printable ASCII, as is the next one. */
  readonly maker: string | undefined
  readonly model: string | undefined
}

export const UNKNOWN_CAPTURE: Capture = {
  time: undefined,
  place: undefined,
  maker: undefined,
  model: undefined,
}

export type SourceKind = 'video' | 'animated-image' | 'webp'

/** How the original of a session must be read when a cover is taken from it. */
export type OriginalTraits = PictureTraits & {
  /** The preview's first frame, counted from the beginning of the original at 30 a second; 0 unless it shows a part. */
  readonly firstFrame: number
  /** Which of the file's video streams is meant, counted from 0 and without covers: ffmpeg's `V:0`. */
  readonly stream: number
  /** As the container numbers it: the track of an MP4. Undefined where it is not known. */
  readonly streamId: number | undefined
  /** Whether the first of its streams begins at time 0: then ffmpeg's times are those of the file. */
  readonly startsAtZero: boolean
  /** Whether decoding can start in the middle and every picture still has its time. */
  readonly isSeekable: boolean
  readonly kind: SourceKind
  /** As shown. */
  readonly size: Size
}

/** How the tiles of a filmstrip lie in its picture: in one column, tile `i` showing frame `i × interval`. */
export type Filmstrip = {
  /** Pixels of a tile. */
  readonly tileWidth: number
  readonly tileHeight: number
  /** Pixels from the top of a tile to the top of the next; what exceeds the tile's height is filling. */
  readonly rowHeight: number
  readonly tiles: number
  /** Frames of the preview from one tile to the next. */
  readonly interval: number
}

/** Bytes of a picture that becomes a cover as a whole. Those of phones have up to some 20 MB. */
export const MAX_PICTURE_BYTES = 32 * 1024 * 1024

/** The picture of a motion photo or Live Photo that was the source. */
export type SourceStill = {
  /** The moment that it shows, in seconds of the source's video; undefined where the photo does not say. */
  readonly seconds: number | undefined
}

/** A finished preview, not yet stored. */
export type Preview = {
  /** The MP4, in the task's folder. */
  readonly path: string
  /** Frames at 30 a second. */
  readonly frames: number
  readonly width: number
  readonly height: number
  readonly hasAudio: boolean
  /** Length of the whole original; undefined when it is not known. */
  readonly sourceSeconds: number | undefined
  /** The JPEG of its tiles in the task's folder, where one was made. */
  readonly strip?: { readonly path: string; readonly layout: Filmstrip } | undefined
  readonly capture: Capture
  readonly original: OriginalTraits
  /** The picture of a photo that was the source, a file in the task's folder. */
  readonly still?: (SourceStill & { readonly path: string }) | undefined
}
