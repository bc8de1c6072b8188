import type { Plane } from './plane'

/** Samples of a plane as a decoder has them, perhaps between those of others. */
export type Samples = {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
  /** The place of the first one, and how far one is from the next, and from the one below it. */
  readonly at: number
  readonly step: number
  readonly stride: number
}

/** A part of a plane: it need not begin at a whole sample. */
export type Part = {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** How much a sample counts by its distance, and how far. @see ffmpeg's `bicublin`: bicubic for luma, else linear */
type Kernel = { readonly reach: number; readonly weigh: (distance: number) => number }
const LINEAR: Kernel = { reach: 1, weigh: (distance) => 1 - distance }
const CUBIC: Kernel = {
  reach: 2,
  weigh: (by) => (by < 1 ? (1.4 * by - 2.4) * by * by + 1 : ((-0.6 * by + 3) * by - 4.8) * by + 2.4),
}

/** A part of a plane at another size, as the service's filter makes it. */
export function scaledPlane(of: Samples, part: Part, width: number, height: number, isLuma: boolean): Plane {
  const kernel = isLuma ? CUBIC : LINEAR
  const columns = tapsOf(part.x, part.width / width, width, of.width, kernel)
  const rows = tapsOf(part.y, part.height / height, height, of.height, kernel)
  const first = rows.starts[0] ?? 0
  const narrow = narrowed(of, columns, first, (rows.starts[height - 1] ?? 0) + rows.taps - first)
  const data = new Uint8Array(width * height)
  const sums = new Float32Array(width)
  for (let row = 0; row < height; row += 1) {
    sums.fill(0.5)
    const top = (rows.starts[row] ?? 0) - first
    for (let tap = 0; tap < rows.taps; tap += 1)
      addLine(sums, narrow, (top + tap) * width, rows.weights[row * rows.taps + tap] ?? 0)
    putLine(sums, data, row * width)
  }
  return { data, width, height }
}

function addLine(sums: Float32Array, lines: Float32Array, from: number, weight: number): void {
  if (weight === 0) return
  for (let column = 0; column < sums.length; column += 1)
    sums[column] = (sums[column] ?? 0) + weight * (lines[from + column] ?? 0)
}

function putLine(sums: Float32Array, data: Uint8Array, at: number): void {
  for (let column = 0; column < sums.length; column += 1) {
    const sum = sums[column] ?? 0
    data[at + column] = sum < 0 ? 0 : sum > 255 ? 255 : sum
  }
}

type Taps = { readonly taps: number; readonly starts: Int32Array; readonly weights: Float32Array }

/** Which samples of a line count how much for each of another line. @param scale samples of the one for each of the other */
function tapsOf(from: number, scale: number, count: number, length: number, { reach, weigh }: Kernel): Taps {
  const wide = Math.max(1, scale)
  const isCopy = scale === 1 && Number.isInteger(from)
  const taps = isCopy ? 1 : Math.min(length, 2 * Math.ceil(reach * wide))
  const starts = new Int32Array(count)
  const weights = new Float32Array(count * taps)
  for (let at = 0; at < count; at += 1) {
    const middle = from + (at + 0.5) * scale - 0.5
    const ideal = isCopy ? middle : Math.floor(middle) - taps / 2 + 1
    const start = Math.min(length - taps, Math.max(0, Math.round(ideal)))
    starts[at] = start
    let sum = 0
    for (let tap = 0; tap < taps; tap += 1) {
      const distance = Math.abs(start + tap - middle) / wide
      const weight = distance < reach ? weigh(distance) : 0
      weights[at * taps + tap] = weight
      sum += weight
    }
    for (let tap = at * taps; tap < (at + 1) * taps; tap += 1) weights[tap] = (weights[tap] ?? 0) / sum
  }
  return { taps, starts, weights }
}

/** Some rows at another width. */
function narrowed(of: Samples, columns: Taps, first: number, count: number): Float32Array {
  const { taps, starts, weights } = columns
  const width = starts.length
  const narrow = new Float32Array(width * count)
  for (let row = 0; row < count; row += 1) {
    const from = of.at + (first + row) * of.stride
    for (let column = 0; column < width; column += 1) {
      const left = from + (starts[column] ?? 0) * of.step
      let sum = 0
      for (let tap = 0; tap < taps; tap += 1)
        sum += (weights[column * taps + tap] ?? 0) * (of.data[left + tap * of.step] ?? 0)
      narrow[row * width + column] = sum
    }
  }
  return narrow
}
