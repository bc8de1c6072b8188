import { ROTATIONS, type Rotation } from '#media/pictureEdit'

/** Pixels of a small grey picture each way, whatever its shape. */
export const GRAY_SIDE = 32

/** How alike two pictures of one moment are at least: a correlation. */
const ALIKE = 0.5
/** How much of the difference of the second best turn the best one may have. */
const CLEAR = 0.6

/**
 * By how much a frame has to be turned, clockwise, to show what a still does.
 * @param still grey, `GRAY_SIDE` pixels each way
 * @param frame likewise; where it has another shape, only its middle is in the still
 * @returns 0 where it is not clear
 */
export function chooseTurn(still: Uint8Array, frame: Uint8Array, shapes: Shapes): Rotation {
  const [best, second] = ROTATIONS.map((turn) => ({
    turn,
    alike: correlation(still, turnedPart(frame, turn, shapes)),
  })).sort((one, other) => other.alike - one.alike)
  if (!best || !second || best.alike < ALIKE) return 0
  return 1 - best.alike <= CLEAR * (1 - second.alike) ? best.turn : 0
}

/** Width ÷ height. */
export type Shapes = { readonly still: number; readonly frame: number }

/** The middle of a turned frame that has the shape of the still. */
function turnedPart(frame: Uint8Array, turn: Rotation, shapes: Shapes): number[] {
  const shape = turn % 180 === 0 ? shapes.frame : 1 / shapes.frame
  const across = Math.min(1, shapes.still / shape)
  const down = Math.min(1, shape / shapes.still)
  return Array.from({ length: GRAY_SIDE ** 2 }, (_, i) => {
    const u = (((i % GRAY_SIDE) + 0.5) / GRAY_SIDE - 0.5) * across
    const v = ((Math.floor(i / GRAY_SIDE) + 0.5) / GRAY_SIDE - 0.5) * down
    const [x, y] = beforeTurn(u, v, turn)
    return frame[Math.floor((y + 0.5) * GRAY_SIDE) * GRAY_SIDE + Math.floor((x + 0.5) * GRAY_SIDE)] ?? 0
  })
}

/** Where a point was, counted from the middle, before a turn brought it to (u, v). */
function beforeTurn(u: number, v: number, turn: Rotation): readonly [x: number, y: number] {
  if (turn === 90) return [v, -u]
  if (turn === 270) return [-v, u]
  return turn === 180 ? [-u, -v] : [u, v]
}

/** Pearson's; 0 for a picture of one grey. */
function correlation(one: Uint8Array, other: readonly number[]): number {
  const [meanOne, meanOther] = [mean([...one]), mean(other)]
  let [both, squaresOne, squaresOther] = [0, 0, 0]
  other.forEach((value, i) => {
    const [a, b] = [(one[i] ?? 0) - meanOne, value - meanOther]
    both += a * b
    squaresOne += a * a
    squaresOther += b * b
  })
  return squaresOne === 0 || squaresOther === 0 ? 0 : both / Math.sqrt(squaresOne * squaresOther)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
