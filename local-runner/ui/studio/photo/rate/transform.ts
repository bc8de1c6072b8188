/** Transforms of residuals as H.264 has them, in real numbers: what they do to bits and quality, not which bits. */

const EVEN = 0.5
const [ODD, REST] = [Math.cos(Math.PI / 8) * Math.SQRT1_2, Math.sin(Math.PI / 8) * Math.SQRT1_2]

/** Transforms 4×4 values in place. @param at the first one. @param width values from one row to the next */
export function transform(values: Float64Array, at: number, width: number): void {
  for (let line = 0; line < 4; line += 1) transformLine(values, at + line * width, 1)
  for (let line = 0; line < 4; line += 1) transformLine(values, at + line, width)
}

function transformLine(values: Float64Array, at: number, step: number): void {
  const [a = 0, b = 0] = [values[at], values[at + step]]
  const [c = 0, d = 0] = [values[at + 2 * step], values[at + 3 * step]]
  values[at] = EVEN * (a + b + c + d)
  values[at + step] = ODD * (a - d) + REST * (b - c)
  values[at + 2 * step] = EVEN * (a - b - c + d)
  values[at + 3 * step] = REST * (a - d) - ODD * (b - c)
}

/** The inverse of `transform`. */
export function restore(values: Float64Array, at: number, width: number): void {
  for (let line = 0; line < 4; line += 1) restoreLine(values, at + line, width)
  for (let line = 0; line < 4; line += 1) restoreLine(values, at + line * width, 1)
}

function restoreLine(values: Float64Array, at: number, step: number): void {
  const [a = 0, b = 0] = [values[at], values[at + step]]
  const [c = 0, d = 0] = [values[at + 2 * step], values[at + 3 * step]]
  const [even, other] = [EVEN * (a + c), EVEN * (a - c)]
  const [odd, rest] = [ODD * b + REST * d, REST * b - ODD * d]
  values[at] = even + odd
  values[at + step] = other + rest
  values[at + 2 * step] = other - rest
  values[at + 3 * step] = even - odd
}

/** Transforms the mean values of the blocks of a square, 4 or 2 to a side: its own inverse. */
export function hadamard(values: Float64Array, side: number): void {
  for (let line = 0; line < side; line += 1) hadamardLine(values, line * side, 1, side)
  for (let line = 0; line < side; line += 1) hadamardLine(values, line, side, side)
}

function hadamardLine(values: Float64Array, at: number, step: number, side: number): void {
  const [a = 0, b = 0] = [values[at], values[at + step]]
  if (side === 2) {
    values[at] = (a + b) * Math.SQRT1_2
    values[at + step] = (a - b) * Math.SQRT1_2
    return
  }
  const [c = 0, d = 0] = [values[at + 2 * step], values[at + 3 * step]]
  values[at] = (a + b + c + d) / 2
  values[at + step] = (a + b - c - d) / 2
  values[at + 2 * step] = (a - b - c + d) / 2
  values[at + 3 * step] = (a - b + c - d) / 2
}
