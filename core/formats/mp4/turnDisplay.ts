import { viewOf } from '#core/bytes'
import type { Display } from './track'

/**
 * How a track is shown with a rotation after its own.
 * @param degrees clockwise: 0, 90, 180, 270
 * @see ISO/IEC 14496-12, 6.2.2: a point (p, q) is shown at (ap + cq + x, bp + dq + y)
 */
export function turnDisplay(display: Display, degrees: number): Display {
  let turned = display
  for (let done = 0; done < degrees; done += 90) turned = turnOnce(turned)
  return turned
}

/** A point (x, y) of a picture that is shown `height` high comes to (height − y, x). */
function turnOnce({ matrix, width, height }: Display): Display {
  const old = viewOf(matrix)
  const at = (index: number) => old.getInt32(index * 4)
  const [a, b, c, d, x, y] = [at(0), at(1), at(3), at(4), at(6), at(7)]
  const shownHeight = Math.abs(b) > Math.abs(a) ? width : height
  const turned = matrix.slice()
  const view = viewOf(turned)
  const values = [-b, a, undefined, -d, c, undefined, Math.round(shownHeight * 0x10000) - y, x]
  values.forEach((value, index) => {
    if (value !== undefined) view.setInt32(index * 4, value)
  })
  return { matrix: turned, width, height }
}
