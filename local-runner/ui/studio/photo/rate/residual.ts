import { hadamard, restore, transform } from './transform'

/** In the order in which H.264 writes the values of a block. */
const COLUMNS = [0, 1, 0, 0, 1, 2, 3, 2, 1, 0, 1, 2, 3, 3, 2, 3]
const ROWS = [0, 0, 1, 2, 1, 0, 0, 1, 2, 3, 3, 2, 1, 2, 3, 3]
/** What x264 thinks a value of 1 is worth after a run of zeros. */
const WORTH = [3, 2, 2, 1, 1, 1]
/** Less than that is left out: of four blocks of luma, of a plane of chroma, and of a macroblock. */
const WORTH_OF_LUMA = 4
const WORTH_OF_CHROMA = 7
const WORTH_OF_MACROBLOCK = 6
/** Bits: of a block with values, and of one value; more for larger ones. */
const BLOCK_BITS = 2.6
const VALUE_BITS = 2.4
const LARGE_BITS = 1.3
const BITS_OF_DOUBLING = 1.6

/** How a residual is coded. */
export type Coding = {
  /** Its width and height: 16 for luma, 8 for chroma. */
  readonly side: number
  /** Between two levels. */
  readonly step: number
  readonly isInter: boolean
}

const means = new Float64Array(16)

/**
 * Leaves of a residual what its quantization does.
 * @returns the bits that it takes
 */
export function codeResidual(values: Float64Array, coding: Coding): number {
  const { side, isInter } = coding
  for (const place of blocksOf(side)) transform(values, place, side)
  const isChroma = side === 8
  const hasMeans = isChroma || !isInter
  let bits = hasMeans ? codeMeans(values, coding) : 0
  let worth = 0
  for (const place of isChroma ? [0] : FOURS) {
    const coded = codeFour(values, place, coding, hasMeans ? 1 : 0)
    bits += coded.bits
    worth += coded.worth
  }
  if (!hasMeans && worth < WORTH_OF_MACROBLOCK) {
    values.fill(0)
    return 0
  }
  if (hasMeans) putMeans(values, side)
  for (const place of blocksOf(side)) restore(values, place, side)
  return bits
}

/** The first values of the quarters of 16×16. */
const FOURS = [0, 8, 128, 136]
const BLOCKS = [16, 8].map((side) =>
  Array.from({ length: (side / 4) ** 2 }, (_, at) => placeOfMean(at, side)),
)

/** The first values of all blocks of 4×4. */
function blocksOf(side: number): readonly number[] {
  return BLOCKS[side === 16 ? 0 : 1] ?? []
}

/** The mean values of the blocks, which are coded apart, into `means`. */
function codeMeans(values: Float64Array, { side, step, isInter }: Coding): number {
  const blocks = side / 4
  for (let at = 0; at < blocks * blocks; at += 1) means[at] = values[placeOfMean(at, side)] ?? 0
  hadamard(means, blocks)
  let bits = 1
  for (let at = 0; at < blocks * blocks; at += 1) {
    const level = levelOf(means[at] ?? 0, step, isInter)
    if (level > 0) bits += bitsOf(level)
    means[at] = Math.sign(means[at] ?? 0) * level * step
  }
  hadamard(means, blocks)
  return bits
}

function putMeans(values: Float64Array, side: number): void {
  const blocks = side / 4
  for (let at = 0; at < blocks * blocks; at += 1) values[placeOfMean(at, side)] = means[at] ?? 0
}

function placeOfMean(at: number, side: number): number {
  const blocks = side / 4
  return Math.floor(at / blocks) * 4 * side + (at % blocks) * 4
}

/** Four blocks of 4×4, of which there is all or nothing. @param first value of each that is coded here */
function codeFour(values: Float64Array, at: number, coding: Coding, first: number) {
  const { side, isInter } = coding
  let [bits, worth] = [0, 0]
  for (let block = 0; block < 4; block += 1) {
    const coded = codeBlock(values, placeOfBlock(at, block, side), coding, first)
    bits += coded.bits
    worth += coded.worth
  }
  const least = side === 8 ? WORTH_OF_CHROMA : isInter ? WORTH_OF_LUMA : 1
  if (worth >= least) return { bits, worth }
  for (let block = 0; block < 4; block += 1) clear(values, placeOfBlock(at, block, side), side, first)
  return { bits: 0, worth: 0 }
}

function placeOfBlock(at: number, block: number, side: number): number {
  return at + (block >> 1) * 4 * side + (block & 1) * 4
}

function codeBlock(values: Float64Array, at: number, { side, step, isInter }: Coding, first: number) {
  let [bits, worth, run] = [0, 0, 0]
  for (let index = first; index < 16; index += 1) {
    const place = at + (ROWS[index] ?? 0) * side + (COLUMNS[index] ?? 0)
    const value = values[place] ?? 0
    const level = levelOf(value, step, isInter)
    values[place] = Math.sign(value) * level * step
    if (level > 0) {
      bits += bitsOf(level)
      worth += level > 1 ? 9 : (WORTH[run] ?? 0)
    }
    run = level > 0 ? 0 : run + 1
  }
  return { bits: bits > 0 ? bits + BLOCK_BITS : 1, worth }
}

function clear(values: Float64Array, at: number, side: number, first: number): void {
  for (let index = first; index < 16; index += 1)
    values[at + (ROWS[index] ?? 0) * side + (COLUMNS[index] ?? 0)] = 0
}

/** @see x264's dead zones: 21 of 64 for what is predicted from another picture, else 11 */
function levelOf(value: number, step: number, isInter: boolean): number {
  return Math.floor(Math.abs(value) / step + (isInter ? 11 / 64 : 21 / 64))
}

function bitsOf(level: number): number {
  return VALUE_BITS + (level > 1 ? LARGE_BITS + BITS_OF_DOUBLING * Math.log2(level) : 0)
}
