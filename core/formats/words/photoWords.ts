import type { Place } from '../exif/exif'
import type { WallClock } from '../exif/wallClock'

/** What somebody says of a photo, to be written into it where it says nothing itself. */
export type PhotoWords = {
  readonly takenAt: WallClock | undefined
  readonly place: Place | undefined
  readonly description: string | undefined
  /** Stars, 1 to 5. */
  readonly rating: number | undefined
  /** Names of those who are on it. */
  readonly people: readonly string[]
  /** Are added to those that it has. */
  readonly keywords: readonly string[]
}

export type WordKind = 'time' | 'place' | 'description' | 'rating' | 'people' | 'keywords'

/** The metadata of a photo as structures; undefined where it has none. */
export type PhotoMetadata = { readonly exif: Uint8Array | undefined; readonly xmp: string | undefined }
