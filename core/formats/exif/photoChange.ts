import type { PixelChange } from './pixelChange'
import type { WallClock } from './wallClock'

/** What is changed in the tags of a photo; all else that it says of itself stays. */
export type PhotoChange = {
  /** How its pixels must be turned to be shown, 1 to 8. */
  readonly orientation: number
  /** Written where the photo has no date of its own, or in its place if it is given. */
  readonly takenAt: WallClock | undefined
  readonly isDateGiven: boolean
  /** Whether a source says the offset of that time: then a photo whose own clock says none gets it. */
  readonly isZoneTold?: boolean
  /** Undefined: every pixel is where it was. */
  readonly pixels: PixelChange | undefined
}
