import { findMotion, type Motion, type Plane, predictIntra, STILL } from './predict'

/** What x264 adds to the costs of either way. */
const INTER_COST = 4
const INTRA_COST = 9

/** How well each macroblock of a picture is predicted from another one, as x264 looks ahead: at half the size. */
export function sharesOf(luma: Plane, before: Plane): Float32Array {
  const [own, other] = [blurred(luma), blurred(before)]
  const across = luma.width / 16
  const shares = new Float32Array(across * (luma.height / 16))
  const motions: Motion[] = []
  for (let block = 0; block < shares.length; block += 1) {
    const square = { x: (block % across) * 16, y: Math.floor(block / across) * 16, side: 8, step: 2 }
    const guesses = [motions[block - 1] ?? STILL, motions[block - across] ?? STILL]
    const { motion, difference } = findMotion(own, square, other, guesses, 0, [2, 1])
    motions.push(motion)
    const intra = predictIntra(own, square, own)
    shares[block] = Math.max(0, 1 - (difference + INTER_COST) / (intra.difference + INTRA_COST))
  }
  return shares
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
