import * as assert from 'uvu/assert'

/**
 * Fails with both lengths and the bytes around the first difference. `assert.equal` instead prints a diff of all
 * elements, which takes minutes for a megabyte.
 */
export function equalBytes(actual: Uint8Array, expected: Uint8Array, what = 'The bytes'): void {
  const length = Math.max(actual.length, expected.length)
  let at = 0
  while (at < length && actual[at] === expected[at]) at++
  if (at === length) return
  assert.unreachable(
    [
      `${what} differ from byte ${at}; ${actual.length} bytes, expected ${expected.length}.`,
      `  actual   ${hexAround(actual, at)}`,
      `  expected ${hexAround(expected, at)}`,
    ].join('\n'),
  )
}

function hexAround(bytes: Uint8Array, at: number): string {
  const shown = bytes.subarray(Math.max(0, at - 8), at + 16)
  return shown.length === 0
    ? '(nothing)'
    : [...shown].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
}
