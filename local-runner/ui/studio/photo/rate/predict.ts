/** A plane of a picture. */
export type Plane = { readonly data: Uint8Array; readonly width: number; readonly height: number }

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

/** How much two squares differ, until that is more than the least so far. */
function differenceOf(of: Plane, square: Square, from: Plane, { across, down }: Motion, least: number) {
  const { x, y, side, step } = square
  const [left, top] = [x + across, y + down]
  const span = (side - 1) * step
  if (left < 0 || top < 0 || left + span >= from.width || top + span >= from.height) return MOST
  let sum = 0
  for (let row = 0; row < side; row += 1) {
    let own = (y + row * step) * of.width + x
    let other = (top + row * step) * from.width + left
    for (let column = 0; column < side; column += 1) {
      sum += Math.abs((of.data[own] ?? 0) - (from.data[other] ?? 0))
      own += step
      other += step
    }
    if (sum >= least) return sum
  }
  return sum
}

/** Bits of one number of a motion. */
export function bitsOfMotion(by: number): number {
  return by === 0 ? 1 : 3 + 2 * Math.log2(4 * Math.abs(by))
}

/**
 * Finds from where of another plane a square is predicted, as x264 does: from the best of some guesses downhill.
 * @param bitCost what a bit is worth, as a difference. @param strides of the descent, in samples
 */
export function findMotion(
  of: Plane,
  square: Square,
  from: Plane,
  guesses: readonly Motion[],
  bitCost: number,
  strides: readonly number[],
) {
  const [expected = STILL] = guesses
  let best = STILL
  let cost = MOST
  let difference = MOST
  const tryIt = (motion: Motion) => {
    const bits = bitsOfMotion(motion.across - expected.across) + bitsOfMotion(motion.down - expected.down)
    const found = differenceOf(of, square, from, motion, cost)
    if (found + bits * bitCost >= cost) return
    best = motion
    cost = found + bits * bitCost
    difference = found
  }
  for (const guess of [STILL, ...guesses]) tryIt(guess)
  for (const stride of strides) {
    for (let steps = 0; steps < MAX_STEPS; steps += 1) {
      const { across, down } = best
      tryIt({ across: across + stride, down })
      tryIt({ across: across - stride, down })
      tryIt({ across, down: down + stride })
      tryIt({ across, down: down - stride })
      if (best.across === across && best.down === down) break
    }
  }
  return { motion: best, difference }
}

export type Intra = {
  readonly difference: number
  readonly mean: number
  readonly from: 'mean' | 'above' | 'left'
}

/** How a square is predicted from its own picture. @param known of which plane the samples above and to the left are taken */
export function predictIntra(of: Plane, { x, y, side, step }: Square, known: Plane): Intra {
  const { width, data } = of
  const above = (column: number) => known.data[(y - step) * width + x + column * step] ?? 0
  const left = (row: number) => known.data[(y + row * step) * width + x - step] ?? 0
  const mean = meanAround({ x, y, side, step }, known)
  const sums = { mean: 0, above: y > 0 ? 0 : MOST, left: x > 0 ? 0 : MOST }
  for (let row = 0; row < side; row += 1) {
    const beside = x > 0 ? left(row) : 0
    for (let column = 0; column < side; column += 1) {
      const value = data[(y + row * step) * width + x + column * step] ?? 0
      sums.mean += Math.abs(value - mean)
      sums.left += Math.abs(value - beside)
      if (y > 0) sums.above += Math.abs(value - above(column))
    }
  }
  const difference = Math.min(sums.mean, sums.above, sums.left)
  const from = difference === sums.mean ? 'mean' : difference === sums.above ? 'above' : 'left'
  return { difference, mean, from }
}

/** The mean of the samples above and to the left. */
export function meanAround({ x, y, side, step }: Square, { data, width }: Plane): number {
  let [count, sum] = [0, 0]
  for (let at = 0; at < side; at += 1) {
    if (y > 0) {
      sum += data[(y - step) * width + x + at * step] ?? 0
      count += 1
    }
    if (x > 0) {
      sum += data[(y + at * step) * width + x - step] ?? 0
      count += 1
    }
  }
  return count === 0 ? 128 : Math.round(sum / count)
}
