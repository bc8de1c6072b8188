import {
  dequantize,
  quantize,
  quantizeMeans,
  restore,
  restoreMeans,
  transform,
  worthOf,
  ZIGZAG,
} from './blocks'
import { bitsOfLevels } from './cavlc'
import type { Plane } from './plane'

/** Levels that are worth less are left out: those of four blocks of luma, of a plane of chroma, and of a macroblock's luma. */
const WORTH_OF_LUMA = 4
const WORTH_OF_CHROMA = 7
export const WORTH_OF_MACROBLOCK = 6

/** A square's residual, by its blocks of 4×4: 16 of luma, or 4 of chroma. */
export class Residual {
  readonly values: Int32Array
  readonly #side: number
  readonly #means: Int32Array
  readonly #levels: Int32Array
  /** Levels of each block; of those that are written, without means that are coded apart. */
  readonly counts: Uint8Array
  #hasMeans = false
  /** Of the means, where they are coded apart. */
  meansCount = 0
  /** A bit for each four blocks that are written. */
  pattern = 0

  constructor(side: 16 | 8) {
    this.#side = side
    this.values = new Int32Array(side * side)
    this.#means = new Int32Array((side / 4) ** 2)
    this.#levels = new Int32Array(this.#means.length)
    this.counts = new Uint8Array(this.#means.length)
  }

  /** Takes the difference of a plane from what is predicted. @returns the sum of its squares, and that of its values */
  take({ data, width }: Plane, x: number, y: number, predicted: Uint8Array): readonly [number, number] {
    const side = this.#side
    let [squares, sum, at] = [0, 0, 0]
    for (let row = 0; row < side; row += 4) {
      for (let column = 0; column < side; column += 4) {
        for (let line = row; line < row + 4; line += 1) {
          const from = (y + line) * width + x + column
          const other = line * side + column
          for (let step = 0; step < 4; step += 1) {
            const by = (data[from + step] ?? 0) - (predicted[other + step] ?? 0)
            this.values[at] = by
            squares += by * by
            sum += by
            at += 1
          }
        }
      }
    }
    return [squares, sum]
  }

  /** Leaves no residual. */
  drop(): void {
    this.values.fill(0)
    this.counts.fill(0)
    this.meansCount = 0
    this.pattern = 0
  }

  /**
   * Quantizes luma of what is predicted from another picture.
   * @returns what its levels are worth
   */
  quantizeInter(quantizer: number): number {
    this.#hasMeans = false
    this.meansCount = 0
    this.pattern = 0
    let worth = 0
    for (let four = 0; four < 4; four += 1) {
      const blocks = FOURS[four] ?? []
      let own = 0
      for (const block of blocks) own += this.#quantizeBlock(block, quantizer, true, 0)
      worth += own
      if (own >= WORTH_OF_LUMA) this.pattern |= 1 << four
      else for (const block of blocks) this.#clear(block, 0)
    }
    if (worth < WORTH_OF_MACROBLOCK) this.drop()
    return worth
  }

  /** Quantizes luma or chroma, its means apart. @param isInter of chroma. @param least worth of what is not left out */
  quantizeApart(quantizer: number, isInter: boolean, least: number): void {
    for (let block = 0; block < this.counts.length; block += 1) transform(this.values, block * 16)
    this.#takeMeans(quantizer, isInter)
    let worth = 0
    for (let block = 0; block < this.counts.length; block += 1)
      worth += this.#quantizeTransformed(block, quantizer, isInter, 1)
    if (worth < least) this.#clearAll()
    this.pattern = this.counts.some((count) => count > 0) ? 15 : 0
  }

  /** Quantizes only the means, and leaves the rest out. */
  quantizeMeansOnly(quantizer: number, isInter: boolean): void {
    for (let block = 0; block < this.counts.length; block += 1) transform(this.values, block * 16)
    this.#takeMeans(quantizer, isInter)
    this.#clearAll()
    this.pattern = 0
  }

  #takeMeans(quantizer: number, isInter: boolean): void {
    this.#hasMeans = true
    for (let block = 0; block < this.#means.length; block += 1)
      this.#means[block] = this.values[block * 16] ?? 0
    this.meansCount = quantizeMeans(this.#means, this.#levels, quantizer, isInter)
  }

  #quantizeBlock(block: number, quantizer: number, isInter: boolean, first: number): number {
    transform(this.values, block * 16)
    return this.#quantizeTransformed(block, quantizer, isInter, first)
  }

  #quantizeTransformed(block: number, quantizer: number, isInter: boolean, first: number): number {
    const count = quantize(this.values, block * 16, quantizer, isInter, first)
    this.counts[block] = count
    return count === 0 ? 0 : worthOf(this.values, block * 16, first)
  }

  #clear(block: number, first: number): void {
    this.values.fill(0, block * 16 + first, block * 16 + 16)
    this.counts[block] = 0
  }

  #clearAll(): void {
    for (let block = 0; block < this.counts.length; block += 1) this.#clear(block, 1)
  }

  /** Bits of the means that are coded apart. @param context of the first block, or `MEANS` */
  bitsOfMeans(context: number): number {
    return bitsOfLevels(this.#levels, this.#levels.length, context)
  }

  bitsOfBlock(block: number, context: number): number {
    const first = this.#hasMeans ? 1 : 0
    if (this.counts[block] === 0) return bitsOfLevels(NOTHING, 1, context)
    for (let index = first; index < 16; index += 1)
      scanned[index - first] = this.values[block * 16 + (ZIGZAG[index] ?? 0)] ?? 0
    return bitsOfLevels(scanned, 16 - first, context)
  }

  /** Adds to what was predicted what is left of the residual. */
  put(plane: Plane, x: number, y: number, predicted: Uint8Array, quantizer: number): void {
    if (this.meansCount > 0) restoreMeans(this.#levels, this.#means, quantizer)
    const blocks = this.#side / 4
    for (let block = 0; block < this.counts.length; block += 1) {
      this.#restoreBlock(block, quantizer)
      this.#putBlock(block, plane, x, y, (block % blocks) * 4, Math.floor(block / blocks) * 4, predicted)
    }
  }

  #restoreBlock(block: number, quantizer: number): void {
    const at = block * 16
    if (this.#hasMeans) this.values[at] = this.meansCount > 0 ? (this.#means[block] ?? 0) : 0
    if (this.counts[block] === 0 && this.meansCount === 0) return
    dequantize(this.values, at, quantizer, this.#hasMeans ? 1 : 0)
    restore(this.values, at)
  }

  #putBlock(
    block: number,
    { data, width }: Plane,
    x: number,
    y: number,
    column: number,
    row: number,
    predicted: Uint8Array,
  ): void {
    for (let place = 0; place < 16; place += 1) {
      const [line, step] = [row + (place >> 2), column + (place & 3)]
      const value = (predicted[line * this.#side + step] ?? 0) + (this.values[block * 16 + place] ?? 0)
      data[(y + line) * width + x + step] = value < 0 ? 0 : value > 255 ? 255 : value
    }
  }
}

/** The blocks of the quarters of 16×16. */
const FOURS = [
  [0, 1, 4, 5],
  [2, 3, 6, 7],
  [8, 9, 12, 13],
  [10, 11, 14, 15],
]
const NOTHING = new Int32Array(1)
const scanned = new Int32Array(16)

/** Quantizes both planes of chroma. @param spreads of each the sum of squares, and that of values */
export function quantizeChroma(
  planes: readonly [Residual, Residual],
  spreads: readonly (readonly [number, number])[],
  quantizer: number,
  isInter: boolean,
  mayLeaveOut: boolean,
): 0 | 1 | 2 {
  const limit = limitOf(quantizer)
  const spread = spreads.reduce((sum, [squares, values]) => sum + squares - (values * values) / 64, 0)
  const isSmall = mayLeaveOut && quantizer >= (isInter ? 12 : 18) && spread < 4 * limit
  for (const [at, plane] of planes.entries()) {
    if (!isSmall) plane.quantizeApart(quantizer, isInter, mayLeaveOut ? WORTH_OF_CHROMA : 0)
    else if ((spreads[at]?.[0] ?? 0) > limit) plane.quantizeMeansOnly(quantizer, isInter)
    else plane.drop()
  }
  if (planes.some(({ pattern }) => pattern > 0)) return 2
  return planes.some(({ meansCount }) => meansCount > 0) ? 1 : 0
}

/** x264's worth of a bit as squares, of 64. */
function limitOf(quantizer: number): number {
  return (0.9 * 256 * 2 ** ((quantizer - 12) / 3) + 32) / 64
}
