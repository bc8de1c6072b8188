import { bitsOfCount } from './cavlc'
import type { Plane } from './plane'

/** How a square is predicted from the samples above it and to its left. */
const MODES = ['mean', 'left', 'above', 'slope'] as const
export type Mode = (typeof MODES)[number]
/** Of 16×16, as they are numbered; of chroma by `MODES`. */
const LUMA_MODES: readonly Mode[] = ['above', 'left', 'mean', 'slope']

export function numberOfMode(mode: Mode, side: number): number {
  return (side === 16 ? LUMA_MODES : MODES).indexOf(mode)
}

const tried = new Uint8Array(256)

/** The mode that fits best for its bits. @param known what is coded so far of the planes. @param bitCost what a bit is worth. @param most where there is no use for a mode that costs more */
export function chooseMode(
  planes: readonly Plane[],
  known: readonly Plane[],
  x: number,
  y: number,
  side: number,
  bitCost: number,
  most = 1e9,
): { readonly mode: Mode; readonly cost: number } {
  let mode: Mode = 'mean'
  let cost = most
  for (const one of MODES) {
    if (!isPossible(one, x, y)) continue
    let found = bitsOfCount(numberOfMode(one, side)) * bitCost
    for (const [at, plane] of planes.entries()) {
      const from = known[at]
      if (!from || found >= cost) break
      predictIntra(from, x, y, side, one, tried)
      found += differenceFrom(plane, x, y, side, tried, cost - found)
    }
    if (found >= cost) continue
    mode = one
    cost = found
  }
  return { mode, cost }
}

function isPossible(mode: Mode, x: number, y: number): boolean {
  return mode === 'mean' || ((x > 0 || mode === 'above') && (y > 0 || mode === 'left'))
}

function differenceFrom(
  { data, width }: Plane,
  x: number,
  y: number,
  side: number,
  from: Uint8Array,
  most: number,
): number {
  let sum = 0
  for (let row = 0; row < side; row += 1) {
    const start = (y + row) * width + x
    for (let column = 0; column < side; column += 1) {
      const by = (data[start + column] ?? 0) - (from[row * side + column] ?? 0)
      sum += by < 0 ? -by : by
    }
    if (sum >= most) return sum
  }
  return sum
}

/** @see ITU-T H.264, 8.3.3 and 8.3.4 */
export function predictIntra(
  known: Plane,
  x: number,
  y: number,
  side: number,
  mode: Mode,
  into: Uint8Array,
): void {
  if (mode === 'slope') predictSlope(known, x, y, side, into)
  else if (mode === 'mean') predictMeans(known, x, y, side, into)
  else predictStraight(known, x, y, side, mode, into)
}

function predictStraight(
  known: Plane,
  x: number,
  y: number,
  side: number,
  mode: 'above' | 'left',
  into: Uint8Array,
): void {
  const { data, width } = known
  const [above, beside] = [(y - 1) * width + x, y * width + x - 1]
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1)
      into[row * side + column] = data[mode === 'above' ? above + column : beside + row * width] ?? 0
  }
}

/** Chroma has a mean for each of its quarters: that above or to the left of it, or both. */
function predictMeans(known: Plane, x: number, y: number, side: number, into: Uint8Array): void {
  const part = side === 16 ? 16 : 4
  for (let row = 0; row < side; row += part) {
    for (let column = 0; column < side; column += part) {
      const takesAbove = y > 0 && (row === 0 || column > 0 || x === 0)
      const takesLeft = x > 0 && (column === 0 || row > 0 || y === 0)
      const mean = meanBeside(known, x, y, column, row, part, takesAbove, takesLeft)
      for (let line = row; line < row + part; line += 1)
        into.fill(mean, line * side + column, line * side + column + part)
    }
  }
}

function meanBeside(
  { data, width }: Plane,
  x: number,
  y: number,
  column: number,
  row: number,
  part: number,
  takesAbove: boolean,
  takesLeft: boolean,
): number {
  let [sum, count] = [0, 0]
  for (let at = 0; at < part; at += 1) {
    if (takesAbove) sum += data[(y - 1) * width + x + column + at] ?? 0
    if (takesLeft) sum += data[(y + row + at) * width + x - 1] ?? 0
  }
  count = (takesAbove ? part : 0) + (takesLeft ? part : 0)
  return count === 0 ? 128 : (sum + count / 2) / count
}

function predictSlope({ data, width }: Plane, x: number, y: number, side: number, into: Uint8Array): void {
  const half = side / 2
  const above = (column: number) => data[(y - 1) * width + x + column] ?? 0
  const left = (row: number) => data[(y + row) * width + x - 1] ?? 0
  let [across, down] = [0, 0]
  for (let by = 1; by <= half; by += 1) {
    across += by * (above(half - 1 + by) - above(half - 1 - by))
    down += by * (left(half - 1 + by) - left(half - 1 - by))
  }
  const factor = side === 16 ? 5 : 34
  const [right, below] = [(factor * across + 32) >> 6, (factor * down + 32) >> 6]
  const middle = 16 * (left(side - 1) + above(side - 1)) + 16
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      const value = (middle + right * (column - half + 1) + below * (row - half + 1)) >> 5
      into[row * side + column] = value < 0 ? 0 : value > 255 ? 255 : value
    }
  }
}
