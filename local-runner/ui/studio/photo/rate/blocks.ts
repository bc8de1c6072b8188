/** Blocks of 4×4 as H.264 transforms and quantizes them. */

/** What x264 multiplies with for each remainder of a quantizer by 6, and what a decoder does: at even, mixed and odd places. */
const SCALES = [
  [13107, 8066, 5243],
  [11916, 7490, 4660],
  [10082, 6554, 4194],
  [9362, 5825, 3647],
  [8192, 5243, 3355],
  [7282, 4559, 2893],
]
const STEPS = [
  [10, 13, 16],
  [11, 14, 18],
  [13, 16, 20],
  [14, 18, 23],
  [16, 20, 25],
  [18, 23, 29],
]
const KINDS = [0, 1, 0, 1, 1, 2, 1, 2, 0, 1, 0, 1, 1, 2, 1, 2]
/** By quantizer and place. */
const SCALE_AT = SCALES.map((three) => Int32Array.from(KINDS, (kind) => three[kind] ?? 0))
const STEP_AT = STEPS.map((three) => Int32Array.from(KINDS, (kind) => three[kind] ?? 0))
const NO_SCALES = new Int32Array(16)
/** What is added before rounding down, of 64: x264's dead zones. */
const ROUND_INTER = 11
const ROUND_INTRA = 21

/** The places of a block in the order in which they are written. */
export const ZIGZAG = [0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15]

/** Transforms 16 values in place. @param at the first one */
export function transform(values: Int32Array, at: number): void {
  for (let line = at; line < at + 16; line += 4) transformLine(values, line, 1)
  for (let line = at; line < at + 4; line += 1) transformLine(values, line, 4)
}

function transformLine(values: Int32Array, at: number, step: number): void {
  const a = values[at] ?? 0
  const b = values[at + step] ?? 0
  const c = values[at + 2 * step] ?? 0
  const d = values[at + 3 * step] ?? 0
  values[at] = a + b + c + d
  values[at + step] = 2 * (a - d) + b - c
  values[at + 2 * step] = a - b - c + d
  values[at + 3 * step] = a - d - 2 * (b - c)
}

/** To samples what `dequantize` has left. */
export function restore(values: Int32Array, at: number): void {
  for (let line = at; line < at + 16; line += 4) restoreLine(values, line, 1)
  for (let line = at; line < at + 4; line += 1) restoreLine(values, line, 4)
  for (let place = at; place < at + 16; place += 1) values[place] = ((values[place] ?? 0) + 32) >> 6
}

function restoreLine(values: Int32Array, at: number, step: number): void {
  const a = values[at] ?? 0
  const b = values[at + step] ?? 0
  const c = values[at + 2 * step] ?? 0
  const d = values[at + 3 * step] ?? 0
  const [even, other] = [a + c, a - c]
  const [odd, rest] = [(b >> 1) - d, b + (d >> 1)]
  values[at] = even + rest
  values[at + step] = other + odd
  values[at + 2 * step] = other - odd
  values[at + 3 * step] = even - rest
}

/** To levels. @param first place that is quantized here: 1 where the mean is coded apart. @returns how many are not 0 */
export function quantize(
  values: Int32Array,
  at: number,
  quantizer: number,
  isInter: boolean,
  first: number,
): number {
  const shift = 15 + Math.floor(quantizer / 6)
  const scales = SCALE_AT[quantizer % 6] ?? NO_SCALES
  const round = (isInter ? ROUND_INTER : ROUND_INTRA) << (shift - 6)
  let count = 0
  for (let place = first; place < 16; place += 1) {
    const value = values[at + place] ?? 0
    if (value === 0) continue
    const size = value < 0 ? -value : value
    const level = (size * (scales[place] ?? 0) + round) >> shift
    values[at + place] = value < 0 ? -level : level
    if (level > 0) count += 1
  }
  return count
}

/** From levels to what `restore` takes. */
export function dequantize(values: Int32Array, at: number, quantizer: number, first: number): void {
  const steps = STEP_AT[quantizer % 6] ?? NO_SCALES
  const shift = Math.floor(quantizer / 6)
  for (let place = first; place < 16; place += 1)
    values[at + place] = ((values[at + place] ?? 0) * (steps[place] ?? 0)) << shift
}

/**
 * Transforms and quantizes the means of all blocks of a square, 16 of luma or 4 of chroma.
 * @param levels are written in the order of the blocks. @returns how many are not 0
 */
export function quantizeMeans(
  means: Int32Array,
  levels: Int32Array,
  quantizer: number,
  isInter: boolean,
): number {
  const isLuma = means.length === 16
  hadamard(means)
  const shift = 16 + Math.floor(quantizer / 6)
  const scale = SCALES[quantizer % 6]?.[0] ?? 0
  const round = (isInter ? ROUND_INTER : ROUND_INTRA) * 2 ** (shift - 6)
  let count = 0
  for (let place = 0; place < means.length; place += 1) {
    const value = isLuma ? ((means[place] ?? 0) + 1) >> 1 : (means[place] ?? 0)
    const level = (Math.abs(value) * scale + round) >> shift
    levels[place] = value < 0 ? -level : level
    if (level > 0) count += 1
  }
  return count
}

/** Of the levels of `quantizeMeans`, into `means`. */
export function restoreMeans(levels: Int32Array, means: Int32Array, quantizer: number): void {
  means.set(levels)
  hadamard(means)
  const step = STEPS[quantizer % 6]?.[0] ?? 0
  const shift = Math.floor(quantizer / 6)
  for (let place = 0; place < means.length; place += 1) {
    const value = (means[place] ?? 0) * step
    means[place] = means.length === 16 ? (value * 2 ** shift + 2) >> 2 : (value << shift) >> 1
  }
}

/** Its own inverse, but for a factor. */
function hadamard(means: Int32Array): void {
  if (means.length === 4) {
    const [a = 0, b = 0, c = 0, d = 0] = means
    means.set([a + b + c + d, a - b + c - d, a + b - c - d, a - b - c + d])
    return
  }
  for (let line = 0; line < 16; line += 4) hadamardLine(means, line, 1)
  for (let line = 0; line < 4; line += 1) hadamardLine(means, line, 4)
}

function hadamardLine(values: Int32Array, at: number, step: number): void {
  const a = values[at] ?? 0
  const b = values[at + step] ?? 0
  const c = values[at + 2 * step] ?? 0
  const d = values[at + 3 * step] ?? 0
  values[at] = a + b + c + d
  values[at + step] = a + b - c - d
  values[at + 2 * step] = a - b - c + d
  values[at + 3 * step] = a - b + c - d
}

/** What x264 thinks a level of 1 is worth after a run of zeros; larger ones are worth 9. */
const WORTH = [3, 2, 2, 1, 1, 1]

/** What x264 thinks the levels of a block are worth: where that is little, they are left out. */
export function worthOf(values: Int32Array, at: number, first: number): number {
  let [worth, run] = [0, 0]
  for (let index = first; index < 16; index += 1) {
    const level = values[at + (ZIGZAG[index] ?? 0)] ?? 0
    if (level === 0) run += 1
    else {
      worth += Math.abs(level) > 1 ? 9 : (WORTH[run] ?? 0)
      run = 0
    }
  }
  return worth
}
