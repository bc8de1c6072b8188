import type { Plane } from './plane'

/** In samples of luma: x264's fastest preset knows no fractions. */
export type Motion = { readonly across: number; readonly down: number }
export const STILL: Motion = { across: 0, down: 0 }

/** Some of a plane's samples: a square, of which every `step`-th one is taken. */
export type Square = {
  readonly x: number
  readonly y: number
  readonly side: number
  readonly step: number
}

const MOST = 1e9
const MAX_STEPS = 16

/** What x264 thinks that a number of a motion takes, by its size. */
const BITS = Float32Array.from(
  { length: 1024 },
  (_, by) => 2 * Math.log2(4 * by + 1) + 0.718 + (by === 0 ? 0 : 1),
)

function bitsOfMotion({ across, down }: Motion, expected: Motion): number {
  return bitsOf(across - expected.across) + bitsOf(down - expected.down)
}

function bitsOf(by: number): number {
  return BITS[Math.min(BITS.length - 1, Math.abs(by))] ?? 0
}

/** Of three motions, by each number. */
export function medianOf([a = STILL, b = STILL, c = STILL]: readonly (Motion | undefined)[]): Motion {
  return { across: median(a.across, b.across, c.across), down: median(a.down, b.down, c.down) }
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}

/** Whether a motion leads to samples that there are. */
export function isInside({ x, y, side, step }: Square, from: Plane, { across, down }: Motion): boolean {
  const span = (side - 1) * step
  return x + across >= 0 && y + down >= 0 && x + across + span < from.width && y + down + span < from.height
}

/** How much two squares differ, until that is more than the least so far. */
function differenceOf(of: Plane, square: Square, from: Plane, motion: Motion, least: number): number {
  if (!isInside(square, from, motion)) return MOST
  const { x, y, side, step } = square
  let sum = 0
  for (let row = 0; row < side; row += 1) {
    let own = (y + row * step) * of.width + x
    let other = (y + motion.down + row * step) * from.width + x + motion.across
    for (let column = 0; column < side; column += 1) {
      const by = (of.data[own] ?? 0) - (from.data[other] ?? 0)
      sum += by < 0 ? -by : by
      own += step
      other += step
    }
    if (sum >= least) return sum
  }
  return sum
}

/**
 * Finds from where of another plane a square is predicted, as x264 does: from the best of some guesses downhill.
 * @param expected from which the motion is written. @param bitCost what a bit is worth, as a difference
 * @param strides of the descent, in samples
 * @returns the motion, and its difference with and without its bits
 */
export function findMotion(
  of: Plane,
  square: Square,
  from: Plane,
  guesses: readonly Motion[],
  expected: Motion,
  bitCost: number,
  strides: readonly number[],
) {
  let best = STILL
  let [cost, difference] = [MOST, MOST]
  const tryIt = (motion: Motion) => {
    const bits = bitsOfMotion(motion, expected) * bitCost
    if (bits >= cost) return
    const found = differenceOf(of, square, from, motion, cost - bits)
    if (found + bits >= cost) return
    best = motion
    cost = found + bits
    difference = found
  }
  for (const guess of [expected, STILL, ...guesses]) tryIt(guess)
  for (const stride of strides) {
    for (let steps = 0; steps < MAX_STEPS && difference > 0; steps += 1) {
      const { across, down } = best
      tryIt({ across, down: down - stride })
      tryIt({ across, down: down + stride })
      tryIt({ across: across - stride, down })
      tryIt({ across: across + stride, down })
      if (best.across === across && best.down === down) break
    }
  }
  return { motion: best, cost, difference }
}
