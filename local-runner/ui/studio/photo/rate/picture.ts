import { bitsOfCount, bitsOfPattern, bitsOfSigned, MEANS } from './cavlc'
import { chooseMode, type Mode, numberOfMode, predictIntra } from './intra'
import { findMotion, isInside, type Motion, medianOf, STILL } from './motion'
import { emptyLike, type Picture, type Plane } from './plane'
import { quantizeChroma, Residual, WORTH_OF_MACROBLOCK } from './residual'

const SIDE = 16

/** How a picture is coded. */
export type Rate = {
  /** Of each macroblock: H.264's, not yet rounded. */
  readonly quantizers: Float32Array
  /** What was seen ahead of the motions from the picture before, where it is predicted from that. */
  readonly guesses?: readonly Motion[] | undefined
}

/** What a picture takes, and what is left of it. */
export type Coded = {
  readonly bits: number
  readonly picture: Picture
  /** Macroblocks that are predicted from their own picture. */
  readonly intra: number
}

/** Codes a picture as x264's fastest preset does, with its choices and its losses, and writes nothing. */
export function encodePicture(picture: Picture, before: Picture | undefined, rate: Rate): Coded {
  return new PictureEncoder(picture, before, rate).encode()
}

type Place = { readonly block: number; readonly x: number; readonly y: number }
/** Quantizers of luma and chroma, and what a bit is worth, as a difference. */
type Coding = { readonly quantizer: number; readonly chroma: number; readonly bitCost: number }

class PictureEncoder {
  readonly #picture: Picture
  readonly #before: Picture | undefined
  readonly #rate: Rate
  readonly #coded: Picture
  readonly #across: number
  /** By macroblock; undefined of what is predicted from its own picture. */
  readonly #motions: (Motion | undefined)[] = []
  readonly #skips: Uint8Array
  /** Levels of each block of 4×4, by plane. */
  readonly #counts: readonly Uint8Array[]
  readonly #luma = new Residual(16)
  readonly #chroma = [new Residual(8), new Residual(8)] as const
  readonly #predicted = [new Uint8Array(256), new Uint8Array(64), new Uint8Array(64)] as const
  #lastQuantizer = Number.NaN
  #bits = 0
  #intra = 0
  /** Skipped ones in a row. */
  #run = 0

  constructor(picture: Picture, before: Picture | undefined, rate: Rate) {
    this.#picture = picture
    this.#before = before
    this.#rate = rate
    this.#coded = [emptyLike(picture[0]), emptyLike(picture[1]), emptyLike(picture[2])]
    this.#across = picture[0].width / SIDE
    this.#skips = new Uint8Array(this.#across * (picture[0].height / SIDE))
    this.#counts = picture.map(({ width, height }) => new Uint8Array((width / 4) * (height / 4)))
  }

  encode(): Coded {
    for (let block = 0; block < this.#skips.length; block += 1) this.#encodeBlock(block)
    if (this.#run > 0) this.#bits += bitsOfCount(this.#run)
    return { bits: this.#bits, picture: this.#coded, intra: this.#intra }
  }

  #encodeBlock(block: number): void {
    const quantizer = this.#quantizerOf(block)
    const place = { block, x: (block % this.#across) * SIDE, y: Math.floor(block / this.#across) * SIDE }
    const coding = {
      quantizer,
      chroma: ofChroma(quantizer),
      bitCost: Math.max(1, Math.round(2 ** ((quantizer - 12) / 6))),
    }
    if (this.#before) this.#encodeOf(this.#before, place, coding)
    else this.#encodeIntra(place, this.#chooseIntra(place, coding).mode, coding)
  }

  /** With what is before it, where that fits. */
  #encodeOf(before: Picture, place: Place, coding: Coding): void {
    const { block, x, y } = place
    const expected = this.#expectedAt(block)
    const usual = this.#usualAt(block, expected)
    const square = { x, y, side: SIDE, step: 1 }
    if (this.#isBesideSkipped(block) && isInside(square, before[0], usual)) {
      const { worth, chroma } = this.#quantizeInter(before, place, usual, coding)
      if (worth < WORTH_OF_MACROBLOCK && chroma === 0) {
        this.#putSkipped(place, usual, coding)
        return
      }
    }
    const guesses = this.#besides(block).map((one) => this.#motions[one] ?? STILL)
    const ahead = this.#rate.guesses?.[block]
    const tried = ahead ? [ahead, ...guesses] : guesses
    const found = findMotion(this.#picture[0], square, before[0], tried, expected, coding.bitCost, [1])
    const intra = this.#chooseIntra(place, coding, found.cost)
    if (intra.cost < found.cost) this.#encodeIntra(place, intra.mode, coding)
    else this.#encodeInter(before, place, found.motion, expected, usual, coding)
  }

  #chooseIntra({ x, y }: Place, { bitCost }: Coding, most?: number) {
    return chooseMode([this.#picture[0]], [this.#coded[0]], x, y, SIDE, bitCost, most)
  }

  #encodeInter(
    before: Picture,
    place: Place,
    motion: Motion,
    expected: Motion,
    usual: Motion,
    coding: Coding,
  ): void {
    const { chroma } = this.#quantizeInter(before, place, motion, coding)
    const { pattern } = this.#luma
    const isUsual = motion.across === usual.across && motion.down === usual.down
    if (isUsual && pattern === 0 && chroma === 0) {
      this.#putSkipped(place, motion, coding)
      return
    }
    this.#motions[place.block] = motion
    this.#bits += bitsOfCount(this.#run) + 1
    this.#run = 0
    this.#bits += bitsOfSigned(4 * (motion.across - expected.across))
    this.#bits += bitsOfSigned(4 * (motion.down - expected.down))
    this.#bits += bitsOfPattern(pattern, chroma)
    if (pattern > 0 || chroma > 0) this.#writeQuantizer(coding.quantizer)
    this.#writeLuma(place, false)
    this.#writeChroma(place, chroma)
    this.#put(place, coding)
  }

  #quantizerOf(block: number): number {
    const quantizer = Math.min(51, Math.max(0, Math.round(this.#rate.quantizers[block] ?? 0)))
    return Math.abs(quantizer - this.#lastQuantizer) === 1 ? this.#lastQuantizer : quantizer
  }

  #writeQuantizer(quantizer: number): void {
    this.#bits += Number.isNaN(this.#lastQuantizer) ? 1 : bitsOfSigned(quantizer - this.#lastQuantizer)
    this.#lastQuantizer = quantizer
  }

  /** Left, above, and above to the right, or else to the left. */
  #besides(block: number): readonly number[] {
    const across = this.#across
    const column = block % across
    const corner = column + 1 < across ? block - across + 1 : block - across - 1
    const left = column > 0 ? block - 1 : -1
    return [left, block - across, column + 1 < across || column > 0 ? corner : -1]
  }

  #isBesideSkipped(block: number): boolean {
    const corner = block % this.#across > 0 ? block - this.#across - 1 : -1
    return this.#skips[corner] === 1 || this.#besides(block).some((one) => this.#skips[one] === 1)
  }

  /** The motion from which that of a macroblock is written. @see ITU-T H.264, 8.4.1.3 */
  #expectedAt(block: number): Motion {
    const besides = this.#besides(block)
    const known = besides.filter((one) => this.#motions[one] !== undefined)
    const [only] = known
    if (known.length === 1 && only !== undefined) return this.#motions[only] ?? STILL
    // The first row has nothing above it.
    if (block < this.#across) return this.#motions[block - 1] ?? STILL
    return medianOf(besides.map((one) => this.#motions[one]))
  }

  /** That of a skipped one: at the borders, and beside what stands still, none. */
  #usualAt(block: number, expected: Motion): Motion {
    if (block % this.#across === 0 || block < this.#across) return STILL
    const isStill = (motion: Motion | undefined) => motion && motion.across === 0 && motion.down === 0
    if (isStill(this.#motions[block - 1]) || isStill(this.#motions[block - this.#across])) return STILL
    return expected
  }

  #quantizeInter(before: Picture, place: Place, motion: Motion, { quantizer, chroma }: Coding) {
    predictInter(before, place.x, place.y, motion, this.#predicted)
    this.#luma.take(this.#picture[0], place.x, place.y, this.#predicted[0])
    const worth = this.#luma.quantizeInter(quantizer)
    return { worth, chroma: this.#quantizeChroma(place, chroma, true) }
  }

  #quantizeChroma({ x, y }: Place, quantizer: number, isInter: boolean) {
    const spreads = this.#chroma.map((residual, at) => {
      const plane = this.#picture[at + 1] ?? this.#picture[1]
      return residual.take(plane, x / 2, y / 2, this.#predicted[at + 1] ?? this.#predicted[1])
    })
    return quantizeChroma(this.#chroma, spreads, quantizer, isInter, this.#before !== undefined)
  }

  #putSkipped(place: Place, motion: Motion, coding: Coding): void {
    this.#luma.drop()
    for (const plane of this.#chroma) plane.drop()
    this.#motions[place.block] = motion
    this.#skips[place.block] = 1
    this.#run += 1
    this.#put(place, coding)
  }

  #encodeIntra(place: Place, mode: Mode, coding: Coding): void {
    const { block, x, y } = place
    const mayLeaveOut = this.#before !== undefined
    const [, ...planes] = this.#picture
    const [, ...known] = this.#coded
    const { mode: chromaMode } = chooseMode(planes, known, x / 2, y / 2, 8, coding.bitCost)
    predictIntra(this.#coded[0], x, y, SIDE, mode, this.#predicted[0])
    for (const [at, plane] of known.entries())
      predictIntra(plane, x / 2, y / 2, 8, chromaMode, this.#predicted[at + 1] ?? this.#predicted[1])
    this.#luma.take(this.#picture[0], x, y, this.#predicted[0])
    this.#luma.quantizeApart(coding.quantizer, false, mayLeaveOut ? WORTH_OF_MACROBLOCK : 0)
    const chroma = this.#quantizeChroma(place, coding.chroma, false)
    const kind = numberOfMode(mode, SIDE) + 4 * chroma + (this.#luma.pattern > 0 ? 12 : 0)
    this.#bits += mayLeaveOut ? bitsOfCount(this.#run) + bitsOfCount(kind + 6) : bitsOfCount(kind + 1)
    this.#run = 0
    this.#intra += 1
    this.#bits += bitsOfCount(numberOfMode(chromaMode, 8))
    this.#writeQuantizer(coding.quantizer)
    this.#writeLuma(place, true)
    this.#writeChroma(place, chroma)
    this.#motions[block] = undefined
    this.#put(place, coding)
  }

  #writeLuma({ x, y }: Place, isIntra: boolean): void {
    const [counts] = this.#counts
    if (!counts) return
    const across = this.#across * 4
    const start = (y / 4) * across + x / 4
    for (let block = 0; block < 16; block += 1)
      counts[start + (block >> 2) * across + (block & 3)] = this.#luma.counts[block] ?? 0
    if (isIntra) this.#bits += this.#luma.bitsOfMeans(contextAt(counts, start, across))
    for (let block = 0; block < 16; block += 1) {
      const four = ((block >> 3) << 1) + ((block & 3) >> 1)
      if (((this.#luma.pattern >> four) & 1) === 0) continue
      const at = start + (block >> 2) * across + (block & 3)
      this.#bits += this.#luma.bitsOfBlock(block, contextAt(counts, at, across))
    }
  }

  #writeChroma({ x, y }: Place, chroma: number): void {
    if (chroma === 0) return
    const across = this.#across * 2
    const start = (y / 8) * across + x / 8
    for (const [plane, residual] of this.#chroma.entries()) {
      const counts = this.#counts[plane + 1]
      this.#bits += residual.bitsOfMeans(MEANS)
      if (!counts || chroma < 2) continue
      for (let block = 0; block < 4; block += 1)
        counts[start + (block >> 1) * across + (block & 1)] = residual.counts[block] ?? 0
      for (let block = 0; block < 4; block += 1) {
        const at = start + (block >> 1) * across + (block & 1)
        this.#bits += residual.bitsOfBlock(block, contextAt(counts, at, across))
      }
    }
  }

  #put({ x, y }: Place, { quantizer, chroma: chromaQuantizer }: Coding): void {
    const [luma, ...chroma] = this.#coded
    this.#luma.put(luma, x, y, this.#predicted[0], quantizer)
    for (const [at, plane] of chroma.entries())
      this.#chroma[at]?.put(
        plane,
        x / 2,
        y / 2,
        this.#predicted[at + 1] ?? this.#predicted[1],
        chromaQuantizer,
      )
  }
}

/** About how many levels a block has, by those to its left and above it. */
function contextAt(counts: Uint8Array, at: number, across: number): number {
  const left = at % across > 0 ? counts[at - 1] : undefined
  const above = counts[at - across]
  if (left === undefined || above === undefined) return left ?? above ?? 0
  return (left + above + 1) >> 1
}

const OF_CHROMA = [29, 30, 31, 32, 32, 33, 34, 34, 35, 35, 36, 36, 37, 37, 37, 38, 38, 38, 39, 39, 39, 39]

function ofChroma(quantizer: number): number {
  return quantizer < 30 ? quantizer : (OF_CHROMA[quantizer - 30] ?? 39)
}

function predictInter(
  [luma, ...chroma]: Picture,
  x: number,
  y: number,
  { across, down }: Motion,
  into: readonly [Uint8Array, Uint8Array, Uint8Array],
): void {
  for (let row = 0; row < SIDE; row += 1) {
    const from = (y + down + row) * luma.width + x + across
    for (let column = 0; column < SIDE; column += 1)
      into[0][row * SIDE + column] = luma.data[from + column] ?? 0
  }
  for (const [at, plane] of chroma.entries())
    predictChroma(plane, x / 2, y / 2, across, down, into[at + 1] ?? into[1])
}

/** By a motion in samples of luma, which for chroma may be halves. */
function predictChroma(
  { data, width }: Plane,
  x: number,
  y: number,
  across: number,
  down: number,
  into: Uint8Array,
): void {
  const [beside, below] = [across & 1, (down & 1) * width]
  for (let row = 0; row < 8; row += 1) {
    const from = (y + (down >> 1) + row) * width + x + (across >> 1)
    for (let column = 0; column < 8; column += 1) {
      const at = from + column
      const value = data[at] ?? 0
      if (beside === 0 && below === 0) into[row * 8 + column] = value
      else {
        const sum = value + (data[at + beside] ?? value) + (data[at + below] ?? value)
        into[row * 8 + column] = (sum + (data[at + beside + below] ?? value) + 2) >> 2
      }
    }
  }
}
