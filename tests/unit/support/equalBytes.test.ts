import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { thrownBy } from '#support/values/failures'

const test = suite('equal bytes')

test('a megabyte that differs in one byte is told at once, with the place', () => {
  const expected = new Uint8Array(1 << 20)
  const actual = expected.slice()
  actual[70_000] = 0xab
  const message = failure(() => equalBytes(actual, expected, 'The clip bytes'))
  assert.match(message, 'The clip bytes differ from byte 70000; 1048576 bytes, expected 1048576.')
  assert.match(message, 'actual   00 00 00 00 00 00 00 00 ab 00')
})

test('a missing end is a difference', () => {
  const whole = Uint8Array.of(1, 2, 3)
  const cut = whole.subarray(0, 2)
  assert.match(
    failure(() => equalBytes(cut, whole)),
    'differ from byte 2; 2 bytes, expected 3.',
  )
  assert.match(
    failure(() => equalBytes(whole, cut)),
    'differ from byte 2; 3 bytes, expected 2.',
  )
})

test('the same bytes pass, whatever buffer they lie in', () => {
  equalBytes(Uint8Array.of(0, 1, 2).subarray(1), Uint8Array.of(1, 2))
  equalBytes(new Uint8Array(), new Uint8Array())
})

/** `assert.throws` lets failed assertions pass through, so it cannot look at one. */
function failure(check: () => void): string {
  return String(thrownBy(check))
}

test.run()
