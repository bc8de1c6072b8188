import { chooseMode } from './intra'
import { findMotion, type Motion, medianOf, STILL } from './motion'
import type { Plane } from './plane'

/** What x264 adds to the costs of either way, and to that of what moves. */
const INTER_COST = 3
const MOVED_COST = 5
const INTRA_COST = 9

/** What x264 sees of a picture ahead of its encoding. */
export type Foresight = {
  /** How well each macroblock is predicted from the picture before: 0 to 1. */
  readonly shares: Float32Array
  readonly motions: readonly Motion[]
}

/** Compares two pictures as x264 does when it looks ahead: at half the size. */
export function foresee(luma: Plane, before: Plane): Foresight {
  const [own, other] = [blurred(luma), blurred(before)]
  const half = halved(own)
  const across = luma.width / 16
  const shares = new Float32Array(across * (luma.height / 16))
  const motions: Motion[] = []
  for (let block = 0; block < shares.length; block += 1) {
    const [column, row] = [block % across, Math.floor(block / across)]
    const square = { x: column * 16, y: row * 16, side: 8, step: 2 }
    const besides = [block - 1, block - across, block - across + 1].map((one) => motions[one] ?? STILL)
    const { motion, cost } = findMotion(own, square, other, besides, medianOf(besides), 1, [2, 1])
    motions.push(motion)
    const moved = motion.across === 0 && motion.down === 0 ? 0 : MOVED_COST
    const intra = chooseMode([half], [half], column * 8, row * 8, 8, 0)
    shares[block] = Math.max(0, 1 - (cost + moved + INTER_COST) / (intra.cost + INTRA_COST))
  }
  return { shares, motions }
}

/** At each sample the mean of four, of which every second one is the picture at half its size. */
function blurred({ data, width, height }: Plane): Plane {
  const means = new Uint8Array(data.length)
  for (let at = 0; at < data.length; at += 1) {
    const value = data[at] ?? 0
    const beside = data[at + 1] ?? value
    const below = data[at + width] ?? value
    means[at] = (value + beside + below + (data[at + width + 1] ?? beside) + 2) >> 2
  }
  return { data: means, width, height }
}

function halved({ data, width, height }: Plane): Plane {
  const half = { data: new Uint8Array(data.length / 4), width: width / 2, height: height / 2 }
  for (let row = 0; row < half.height; row += 1) {
    for (let column = 0; column < half.width; column += 1)
      half.data[row * half.width + column] = data[2 * row * width + 2 * column] ?? 0
  }
  return half
}
