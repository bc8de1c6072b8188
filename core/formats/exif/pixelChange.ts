import type { Size } from '../jpeg/jpegFrame'

/**
 * From a place in the old picture to that in the new one, in shares of the sides:
 * `x' = a·x + c·y + e`, `y' = b·x + d·y + f`.
 */
type Places = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

const SAME: Places = [1, 0, 0, 1, 0, 0]

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

/** A part of a picture by its middle, in shares of the sides. */
export type Area = Size & { readonly x: number; readonly y: number }

/**
 * Where the pixels of a photo are now: what counts in them, such as the place of a face, has moved. Each step gives a new change, which
 * has the steps before it.
 * @example
 * const change = PixelChange.none({ width: 720, height: 1280 }).cropped({ x: 0, y: 280, width: 720, height: 720 }).turned(6)
 * change.areaOf({ x: 0.5, y: 0.5, width: 0.1, height: 0.1 }) // of a face: its place in the new picture
 */
export class PixelChange {
  /** Pixels of the photo as it had them stored, and now. */
  readonly from: Size
  readonly to: Size
  readonly #places: Places

  private constructor(from: Size, to: Size, places: Places) {
    this.from = from
    this.to = to
    this.#places = places
  }

  /** Every pixel is where it was. */
  static none(size: Size): PixelChange {
    return new PixelChange(size, size, SAME)
  }

  /** Then the picture is turned as an orientation of EXIF says: 1 to 8; another one leaves it as it is. */
  turned(orientation: number): PixelChange {
    const { width, height } = this.to
    const to = orientation >= 5 && orientation <= 8 ? { width: height, height: width } : this.to
    return this.#then(SHOWN[orientation] ?? SAME, to)
  }

  /** Then a part of it is cut out, in pixels of the picture as it is by then. */
  cropped({ x, y, width, height }: Size & { readonly x: number; readonly y: number }): PixelChange {
    const { to } = this
    const places: Places = [to.width / width, 0, 0, to.height / height, -x / width, -y / height]
    return this.#then(places, { width, height })
  }

  /** Then it has as many pixels as this. */
  scaled(to: Size): PixelChange {
    return new PixelChange(this.from, to, this.#places)
  }

  /** New pixels for an old one, along what is the width now; negative where it is mirrored. */
  get scale(): number {
    const [a, , c] = this.#places
    return a === 0 ? (c * this.to.width) / this.from.height : (a * this.to.width) / this.from.width
  }

  /** The same area in the new picture. @returns undefined of an area whose middle is not in it */
  areaOf({ x, y, width, height }: Area): Area | undefined {
    const [a, b, c, d, e, f] = this.#places
    const moved = {
      x: a * x + c * y + e,
      y: b * x + d * y + f,
      width: Math.abs(a) * width + Math.abs(c) * height,
      height: Math.abs(b) * width + Math.abs(d) * height,
    }
    const isInside = moved.x >= 0 && moved.x <= 1 && moved.y >= 0 && moved.y <= 1
    return isInside ? moved : undefined
  }

  #then([p, q, r, s, t, u]: Places, to: Size): PixelChange {
    const [a, b, c, d, e, f] = this.#places
    const places: Places = [
      p * a + r * b,
      q * a + s * b,
      p * c + r * d,
      q * c + s * d,
      p * e + r * f + t,
      q * e + s * f + u,
    ]
    return new PixelChange(this.from, to, places)
  }
}
