import { answerRange, matchesETag } from '#internal/base/http/ranges'
import { assert, suite } from '#support/runner/suite'

const test = suite('ranges')
const file = { size: 1000, etag: '"abc"' }
const whole = { kind: 'whole' }
const part = (start: number, end: number) => ({ kind: 'part', start, end })

for (const [range, expected] of [
  ['bytes=0-0', part(0, 0)],
  ['bytes=0-99', part(0, 99)],
  ['bytes=100-', part(100, 999)],
  ['bytes=999-999', part(999, 999)],
  ['bytes=0-5000', part(0, 999)],
  ['bytes=-1', part(999, 999)],
  ['bytes=-1000', part(0, 999)],
  ['bytes=-5000', part(0, 999)],
  ['Bytes=0-1', part(0, 1)],
  ['bytes= 0 - 1', part(0, 1)],
  ['bytes=1000-', { kind: 'unsatisfiable' }],
  ['bytes=99999999999999999999-', { kind: 'unsatisfiable' }],
  ['bytes=-0', { kind: 'unsatisfiable' }],
  ['bytes=5-4', whole],
  ['bytes=0-1,3-4', whole],
  ['bytes=-', whole],
  ['bytes=a-b', whole],
  ['items=0-1', whole],
  ['bytes', whole],
  ['', whole],
] as const) {
  test(`"${range}" of 1,000 bytes`, () => {
    assert.equal(answerRange(range, undefined, file), expected)
  })
}

test('without a header the whole is sent', () => {
  assert.equal(answerRange(undefined, undefined, file), whole)
})

test('If-Range with the same tag keeps the range; another, a weak one or a date drops it', () => {
  assert.equal(answerRange('bytes=0-1', '"abc"', file), part(0, 1))
  for (const ifRange of ['"abd"', 'W/"abc"', 'Sat, 21 Nov 2026 10:00:00 GMT', '']) {
    assert.equal(answerRange('bytes=0-1', ifRange, file), whole, ifRange)
  }
})

test('nothing of an empty file can be asked for', () => {
  const empty = { size: 0, etag: '"e"' }
  assert.equal(answerRange('bytes=0-', undefined, empty), { kind: 'unsatisfiable' })
  assert.equal(answerRange('bytes=-5', undefined, empty), { kind: 'unsatisfiable' })
})

test('If-None-Match names one of several tags, weakly, or any', () => {
  for (const header of ['"abc"', 'W/"abc"', '"x", "abc"', ' "abc" ', '*']) {
    assert.is(matchesETag(header, '"abc"'), true, header)
  }
  for (const header of [undefined, '', '"abcd"', 'abc', '"x", "y"']) {
    assert.is(matchesETag(header, '"abc"'), false, header)
  }
})

test.run()
