import { asciiBytes, concatBytes, viewOf } from '@lantern-room/base/bytes'

/** CIE 1931 chromaticity, x and y. */
export type Chromaticity = readonly [x: number, y: number]

/** An RGB colour space of three primaries, a white, and one curve for all. */
export type RgbSpace = {
  /** As programs show it. ASCII. */
  readonly name: string
  readonly red: Chromaticity
  readonly green: Chromaticity
  readonly blue: Chromaticity
  readonly white: Chromaticity
  /** From signal to light: sRGB's curve, or a power. */
  readonly curve: 'srgb' | number
}

type Vector = readonly [number, number, number]
type Matrix = readonly [Vector, Vector, Vector]

/** The white of all profiles, and Bradford's matrix to adapt another to it. @see ICC.1:2022, 7.2.16 and annex E */
const D50: Vector = [0.9642, 1, 0.8249]
const BRADFORD: Matrix = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
]

/** The curve of IEC 61966-2-1: ((x + 0.055) / 1.055) ^ 2.4, and x / 12.92 below 0.04045. */
const SRGB_CURVE = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]

const HEADER_BYTES = 128
const DISPLAY_D50_INTENT_PERCEPTUAL = 0

/**
 * The ICC profile of an RGB colour space, version 4: three colorants and a curve, about 500 bytes.
 * @see ICC.1:2022, 7 (header), 8.3.3 (three-component matrix-based display profiles), 10 (types)
 */
export function encodeMatrixProfile(space: RgbSpace): Uint8Array {
  const adaptation = adaptationTo(D50, xyzOf(space.white))
  const [red, green, blue] = colorants(space).map((colorant) => xyzType(times(adaptation, colorant)))
  const curve = curveType(space.curve)
  const tags: readonly (readonly [signature: string, data: Uint8Array | undefined])[] = [
    ['desc', textType(space.name)],
    ['cprt', textType('No copyright')],
    ['wtpt', xyzType(D50)],
    ['chad', concatBytes([asciiBytes('sf32'), new Uint8Array(4), fixed(adaptation.flat())])],
    ['rXYZ', red],
    ['gXYZ', green],
    ['bXYZ', blue],
    ['rTRC', curve],
    ['gTRC', curve],
    ['bTRC', curve],
  ]
  const table = new Uint8Array(4 + 12 * tags.length)
  const view = viewOf(table)
  view.setUint32(0, tags.length)
  // Tags that are alike share their data.
  const placed = new Map<Uint8Array, number>()
  let end = HEADER_BYTES + table.length
  for (const [i, [signature, data = new Uint8Array()]] of tags.entries()) {
    const at = placed.get(data) ?? end
    if (at === end) end += data.length
    placed.set(data, at)
    table.set(asciiBytes(signature), 4 + 12 * i)
    view.setUint32(8 + 12 * i, at)
    view.setUint32(12 + 12 * i, data.length)
  }
  return concatBytes([header(end), table, ...placed.keys()])
}

function header(size: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES)
  const view = viewOf(bytes)
  view.setUint32(0, size)
  view.setUint32(8, 0x04300000)
  bytes.set(asciiBytes('mntrRGB XYZ '), 12)
  // A date has to be given; the profile is the same at all times.
  for (const [i, part] of [2026, 1, 1, 0, 0, 0].entries()) view.setUint16(24 + 2 * i, part)
  bytes.set(asciiBytes('acsp'), 36)
  view.setUint32(64, DISPLAY_D50_INTENT_PERCEPTUAL)
  bytes.set(fixed(D50), 68)
  return bytes
}

/** XYZ of full red, green and blue, which make up the white. */
function colorants({ red, green, blue, white }: RgbSpace): Vector[] {
  const primaries = [red, green, blue].map(xyzOf)
  const [r = D50, g = D50, b = D50] = primaries
  const columns: Matrix = [
    [r[0], g[0], b[0]],
    [r[1], g[1], b[1]],
    [r[2], g[2], b[2]],
  ]
  const shares = times(inverse(columns), xyzOf(white))
  return [scaled(r, shares[0]), scaled(g, shares[1]), scaled(b, shares[2])]
}

/** Of luminance 1. */
function xyzOf([x, y]: Chromaticity): Vector {
  return [x / y, 1, (1 - x - y) / y]
}

function adaptationTo(target: Vector, white: Vector): Matrix {
  const [from, to] = [times(BRADFORD, white), times(BRADFORD, target)]
  const gains: Matrix = [
    [to[0] / from[0], 0, 0],
    [0, to[1] / from[1], 0],
    [0, 0, to[2] / from[2]],
  ]
  return product(inverse(BRADFORD), product(gains, BRADFORD))
}

function times([a, b, c]: Matrix, v: Vector): Vector {
  return [dot(a, v), dot(b, v), dot(c, v)]
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

function scaled([x, y, z]: Vector, by: number): Vector {
  return [x * by, y * by, z * by]
}

function product(a: Matrix, [p, q, r]: Matrix): Matrix {
  const row = (line: Vector): Vector => [
    dot(line, [p[0], q[0], r[0]]),
    dot(line, [p[1], q[1], r[1]]),
    dot(line, [p[2], q[2], r[2]]),
  ]
  return [row(a[0]), row(a[1]), row(a[2])]
}

function inverse([a, b, c]: Matrix): Matrix {
  const [x, y, z] = [cross(b, c), cross(c, a), cross(a, b)]
  const share = 1 / dot(a, x)
  return [
    [x[0] * share, y[0] * share, z[0] * share],
    [x[1] * share, y[1] * share, z[1] * share],
    [x[2] * share, y[2] * share, z[2] * share],
  ]
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

function xyzType(xyz: Vector): Uint8Array {
  return concatBytes([asciiBytes('XYZ '), new Uint8Array(4), fixed(xyz)])
}

/** A parametric curve: of type 3 for sRGB's, of type 0 for a power. */
function curveType(curve: RgbSpace['curve']): Uint8Array {
  const [type, numbers] = curve === 'srgb' ? [3, SRGB_CURVE] : [0, [curve]]
  return concatBytes([asciiBytes('para'), new Uint8Array(4), Uint8Array.of(0, type, 0, 0), fixed(numbers)])
}

/** A text in English. */
function textType(text: string): Uint8Array {
  const head = new Uint8Array(28)
  const view = viewOf(head)
  head.set(asciiBytes('mluc'))
  view.setUint32(8, 1)
  view.setUint32(12, 12)
  head.set(asciiBytes('enUS'), 16)
  view.setUint32(20, 2 * text.length)
  view.setUint32(24, head.length)
  const letters = Uint8Array.from([...asciiBytes(text)].flatMap((letter) => [0, letter]))
  // Data begins at multiples of four.
  return concatBytes([head, letters, new Uint8Array(letters.length % 4)])
}

/** Numbers of 16 bits before the point and 16 behind it. */
function fixed(numbers: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * numbers.length)
  const view = viewOf(bytes)
  for (const [i, number] of numbers.entries()) view.setInt32(4 * i, Math.round(number * 65_536))
  return bytes
}
