import type { Colour } from './pixels'

// Colours in other primaries, computed from the chromaticities in the standards and not by ffmpeg.

type Vector = readonly [number, number, number]
type Matrix = readonly [Vector, Vector, Vector]

/** Chromaticities of red, green and blue; the white of all three is D65. ITU-R BT.709, SMPTE EG 432-1, ITU-R BT.2020. */
const CHROMATICITIES = {
  bt709: [
    [0.64, 0.33],
    [0.3, 0.6],
    [0.15, 0.06],
  ],
  smpte432: [
    [0.68, 0.32],
    [0.265, 0.69],
    [0.15, 0.06],
  ],
  bt2020: [
    [0.708, 0.292],
    [0.17, 0.797],
    [0.131, 0.046],
  ],
} as const
export type Gamut = keyof typeof CHROMATICITIES

const D65: Vector = [0.3127 / 0.329, 1, (1 - 0.3127 - 0.329) / 0.329]

/** The colour of BT.709 that looks like this one of other primaries; clipped where there is none. Both as BT.1886 shows them. */
export function inBt709(colour: Colour, gamut: Gamut): Colour {
  const light = multiply(inverse(toXyz('bt709')), multiply(toXyz(gamut), linearOf(colour)))
  return map(light, (value) => Math.round(Math.min(1, Math.max(0, value)) ** (1 / 2.4) * 255))
}

/** The distance of two BT.709 colours in CIE 1976 L*a*b*. */
export function deltaE(one: Colour, other: Colour): number {
  const [a, b] = [lab(one), lab(other)]
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2])
}

/** Linear light (1 = reference white) of a BT.709 colour as a display of BT.1886 shows it. */
export function linearOf(colour: Colour): Colour {
  return map(colour, (code) => (code / 255) ** 2.4)
}

function lab(colour: Colour): Vector {
  const xyz = multiply(toXyz('bt709'), linearOf(colour))
  const root = (value: number) =>
    value > 216 / 24_389 ? Math.cbrt(value) : ((24_389 / 27) * value + 16) / 116
  const [x, y, z] = [root(xyz[0] / D65[0]), root(xyz[1] / D65[1]), root(xyz[2] / D65[2])]
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

/** The matrix from linear RGB to XYZ, in which white has luminance 1. SMPTE RP 177. */
function toXyz(gamut: Gamut): Matrix {
  const [red, green, blue] = CHROMATICITIES[gamut].map(([x, y]): Vector => [x / y, 1, (1 - x - y) / y])
  if (!red || !green || !blue) throw new Error('three primaries')
  const columns: Matrix = [
    [red[0], green[0], blue[0]],
    [red[1], green[1], blue[1]],
    [red[2], green[2], blue[2]],
  ]
  const [r, g, b] = multiply(inverse(columns), D65)
  return map(columns, (row): Vector => [row[0] * r, row[1] * g, row[2] * b])
}

function multiply(matrix: Matrix, vector: Vector): Vector {
  return map(matrix, (row) => row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2])
}

function inverse([[a, b, c], [d, e, f], [g, h, i]]: Matrix): Matrix {
  const determinant = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
  const rows: Matrix = [
    [e * i - f * h, c * h - b * i, b * f - c * e],
    [f * g - d * i, a * i - c * g, c * d - a * f],
    [d * h - e * g, b * g - a * h, a * e - b * d],
  ]
  return map(rows, (row) => map(row, (value) => value / determinant))
}

function map<T, U>([one, two, three]: readonly [T, T, T], of: (value: T) => U): readonly [U, U, U] {
  return [of(one), of(two), of(three)]
}
