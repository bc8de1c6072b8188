import {
  bitsOfMotion,
  findMotion,
  type Intra,
  type Motion,
  meanAround,
  type Plane,
  predictIntra,
  STILL,
} from './predict'
import { codeResidual } from './residual'

/** Luma, and two planes of chroma of half its width and height; its sides are multiples of 16. */
export type Picture = readonly [Plane, Plane, Plane]

const SIDE = 16
/** Of a macroblock with a residual, and of one without. */
const HEADER_BITS = 5
const INTRA_BITS = 3
const SKIPPED_BITS = 0.3

/** x264's `aq-strength=0.3`: flat blocks are coded finer. */
const FLAT_STRENGTH = 0.312
const USUAL_ENERGY = 14.427
/** x264's `mbtree`, with `qcomp=0.6`: blocks from which others are predicted are coded finer. */
const TREE_STRENGTH = 2

/** How a picture is coded. */
export type Rate = {
  /** Of H.264's quantization, before what is worth more or less of it. */
  readonly quantizer: number
  /** The pictures after it that are predicted from it, by one another. */
  readonly followers: number
  /** How well each macroblock is predicted from the picture before: 0 to 1. */
  readonly shares: Float32Array
}

/**
 * Codes a picture as x264's fastest preset does, with its choices and its losses, and writes nothing.
 * @param before the one from which it is predicted, as it was coded; a key frame has none
 * @returns about how many bits it takes, and what is left of it
 */
export function encodePicture(picture: Picture, before: Picture | undefined, rate: Rate) {
  const [luma] = picture
  const coded = picture.map(({ data, width, height }) => ({
    data: new Uint8Array(data.length),
    width,
    height,
  }))
  const left = coded as unknown as Picture
  const across = luma.width / SIDE
  const motions: Motion[] = []
  let bits = 0
  for (let block = 0; block < across * (luma.height / SIDE); block += 1) {
    const [x, y] = [(block % across) * SIDE, Math.floor(block / across) * SIDE]
    const guesses = [x > 0 ? motions[block - 1] : undefined, y > 0 ? motions[block - across] : undefined]
    const step = stepOf(quantizerOf(picture, x, y, rate, block))
    const way = wayOf(
      picture,
      before,
      left,
      { x, y },
      guesses.map((one) => one ?? STILL),
      step,
    )
    motions.push(way.motion ?? STILL)
    bits += codeBlock(picture, before, left, { x, y }, way, step)
  }
  return { bits, picture: left }
}

function stepOf(quantizer: number): number {
  return 0.625 * 2 ** (quantizer / 6)
}

function quantizerOf(picture: Picture, x: number, y: number, rate: Rate, block: number): number {
  const energy = picture.reduce(
    (sum, plane, at) =>
      sum + energyOf(plane, at === 0 ? { x, y, side: 16 } : { x: x / 2, y: y / 2, side: 8 }),
    0,
  )
  const flat = FLAT_STRENGTH * (Math.log2(Math.max(1, energy)) - USUAL_ENERGY)
  const share = rate.shares[block] ?? 0
  let [worth, passed] = [0, share]
  for (let one = 0; one < rate.followers; one += 1) {
    worth += passed
    passed *= share
  }
  return Math.min(51, Math.max(0, rate.quantizer + flat - TREE_STRENGTH * Math.log2(1 + worth)))
}

/** How much the samples of a square differ from their mean, squared. */
function energyOf({ data, width }: Plane, { x, y, side }: { x: number; y: number; side: number }): number {
  let [sum, squares] = [0, 0]
  for (let row = y; row < y + side; row += 1) {
    for (let column = x; column < x + side; column += 1) {
      const value = data[row * width + column] ?? 0
      sum += value
      squares += value * value
    }
  }
  return squares - (sum * sum) / (side * side)
}

type Place = { readonly x: number; readonly y: number }
/** How a macroblock is predicted. */
type Way = { readonly motion: Motion | undefined; readonly expected: Motion; readonly intra: Intra }

function wayOf(
  [luma]: Picture,
  before: Picture | undefined,
  [known]: Picture,
  { x, y }: Place,
  guesses: readonly Motion[],
  step: number,
): Way {
  const square = { x, y, side: SIDE, step: 1 }
  const intra = predictIntra(luma, square, known)
  const [expected = STILL] = guesses
  // What a bit is worth by x264: 0.85 · 2^((quantizer − 12) / 6).
  const found = before && findMotion(luma, square, before[0], guesses, step * 0.34, [1])
  const isInter = found !== undefined && found.difference <= intra.difference
  return { motion: isInter ? found.motion : undefined, expected, intra }
}

const residual = new Float64Array(SIDE * SIDE)
const small = new Float64Array(64)
const predicted = new Float64Array(SIDE * SIDE)

function codeBlock(
  picture: Picture,
  before: Picture | undefined,
  left: Picture,
  place: Place,
  way: Way,
  step: number,
): number {
  let bits = 0
  for (const [at, plane] of picture.entries())
    bits += codePlane(at, plane, before?.[at], left[at] ?? plane, place, way, step)
  const { motion, expected } = way
  if (!motion) return bits + HEADER_BITS + INTRA_BITS
  const [across, down] = [motion.across - expected.across, motion.down - expected.down]
  if (bits <= 2 && across === 0 && down === 0) return SKIPPED_BITS
  return bits + HEADER_BITS + bitsOfMotion(across) + bitsOfMotion(down)
}

/** @param at 0 for luma. @param before that of the picture before. @param left what is left of it, which is written */
function codePlane(
  at: number,
  plane: Plane,
  before: Plane | undefined,
  left: Plane,
  { x, y }: Place,
  { motion, intra }: Way,
  step: number,
): number {
  const half = at === 0 ? 1 : 2
  const square = { x: x / half, y: y / half, side: SIDE / half, step: 1 }
  const values = at === 0 ? residual : small
  if (motion && before) predictInter(before, square, motion, half)
  else predictFrom(left, square, at === 0 ? intra : { ...intra, mean: meanAround(square, left) })
  takeResidual(plane, square, values)
  const bits = codeResidual(values, { side: square.side, step, isInter: motion !== undefined })
  putCoded(left, square, values)
  return bits
}

type Square = { readonly x: number; readonly y: number; readonly side: number }

/** By a motion in samples of luma, which for chroma may be halves. */
function predictInter(
  { data, width }: Plane,
  { x, y, side }: Square,
  { across, down }: Motion,
  half: number,
): void {
  const [column, row] = [Math.floor(across / half), Math.floor(down / half)]
  const [beside, below] = [across - column * half, (down - row * half) * width]
  for (let line = 0; line < side; line += 1) {
    const from = (y + row + line) * width + x + column
    for (let at = from; at < from + side; at += 1) {
      const value = data[at] ?? 0
      const two = value + (data[at + beside] ?? value)
      const four = two + (data[at + below] ?? value) + (data[at + beside + below] ?? value)
      predicted[line * side + at - from] = half === 1 ? value : four / 4
    }
  }
}

function predictFrom({ data, width }: Plane, { x, y, side }: Square, { from, mean }: Intra): void {
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      const above = (y - 1) * width + x + column
      const beside = (y + row) * width + x - 1
      predicted[row * side + column] = from === 'mean' ? mean : (data[from === 'above' ? above : beside] ?? 0)
    }
  }
}

function takeResidual({ data, width }: Plane, { x, y, side }: Square, into: Float64Array): void {
  for (let at = 0; at < side * side; at += 1) {
    const place = (y + Math.floor(at / side)) * width + x + (at % side)
    into[at] = (data[place] ?? 0) - (predicted[at] ?? 0)
  }
}

function putCoded({ data, width }: Plane, { x, y, side }: Square, values: Float64Array): void {
  for (let at = 0; at < side * side; at += 1) {
    const value = Math.round((values[at] ?? 0) + (predicted[at] ?? 0))
    data[(y + Math.floor(at / side)) * width + x + (at % side)] = Math.min(255, Math.max(0, value))
  }
}
