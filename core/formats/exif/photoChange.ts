import type { Size } from '../jpeg/jpegFrame'
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

/** Where the pixels of a photo are now: what counts in them, such as the place of a face, has moved. */
export type PixelChange = {
  /** As the photo had them stored, and now. */
  readonly from: Size
  readonly to: Size
  readonly places: Places
}

/**
 * From a place in the old picture to that in the new one, in shares of the sides:
 * `x' = a·x + c·y + e`, `y' = b·x + d·y + f`.
 */
export type Places = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

export const SAME_PLACES: Places = [1, 0, 0, 1, 0, 0]

/** By the orientation of EXIF: from the picture as it is stored to as it is shown. @see CIPA DC-008, 4.6.4 */
const SHOWN: Readonly<Record<number, Places>> = {
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, 1, 1, 0, 0, 0],
  6: [0, 1, -1, 0, 1, 0],
  7: [0, -1, -1, 0, 1, 1],
  8: [0, -1, 1, 0, 0, 1],
}

/**
 * Those of a picture that is turned as an orientation says.
 * @example
 * const places = turnedPlaces(6) // of a picture that is turned by a quarter, clockwise
 */
export function turnedPlaces(orientation: number): Places {
  return SHOWN[orientation] ?? SAME_PLACES
}

/**
 * Those of a part of a picture, which begins at `x` and `y`.
 * @example
 * const places = croppedPlaces({ x: 0, y: 280, width: 720, height: 720 }, { width: 720, height: 1280 })
 */
export function croppedPlaces(
  part: Size & { readonly x: number; readonly y: number },
  { width, height }: Size,
): Places {
  return [width / part.width, 0, 0, height / part.height, -part.x / part.width, -part.y / part.height]
}

/**
 * One change after the other.
 * @example
 * const places = joinPlaces([croppedPlaces(part, size), turnedPlaces(6)])
 */
export function joinPlaces(changes: readonly Places[]): Places {
  return changes.reduce(
    ([a, b, c, d, e, f], [p, q, r, s, t, u]): Places => [
      p * a + r * b,
      q * a + s * b,
      p * c + r * d,
      q * c + s * d,
      p * e + r * f + t,
      q * e + s * f + u,
    ],
    SAME_PLACES,
  )
}

/** A part of a picture by its middle, in shares of the sides. */
export type Area = Size & { readonly x: number; readonly y: number }

/** @returns undefined of an area whose middle is not in the new picture */
export function movedArea({ x, y, width, height }: Area, [a, b, c, d, e, f]: Places): Area | undefined {
  const moved = {
    x: a * x + c * y + e,
    y: b * x + d * y + f,
    width: Math.abs(a) * width + Math.abs(c) * height,
    height: Math.abs(b) * width + Math.abs(d) * height,
  }
  const isInside = moved.x >= 0 && moved.x <= 1 && moved.y >= 0 && moved.y <= 1
  return isInside ? moved : undefined
}
