import { isPlausible, parseMoment, parseOffset } from '#internal/formats/time/moment'
import { assert, suite } from '#support/runner/suite'

const test = suite('a moment')

test('is a date with a time, with or without an offset', () => {
  const local = Date.UTC(2026, 2, 4, 5, 6, 7)
  const hour = 3_600_000
  for (const [text, unixMs, offsetMinutes] of [
    ['2026-03-04T05:06:07', local, undefined],
    ['2026-03-04 05:06:07.987', local + 987, undefined],
    ['2026:03:04 05:06:07', local, undefined],
    ['2026-03-04', Date.UTC(2026, 2, 4), undefined],
    ['2026-03-04T05:06', local - 7000, undefined],
    ['2026-03-04T05:06:07Z', local, 0],
    ['2026-03-04t05:06:07+02:00', local - 2 * hour, 120],
    ['2026-03-04T05:06:07 02:00', local - 2 * hour, 120],
    ['2026-03-04T05:06:07,5-0330', local + 3.5 * hour + 500, -210],
    ['2026-03-04T05:06:07+14', local - 14 * hour, 840],
  ] as const)
    assert.equal(parseMoment(text), { unixMs, offsetMinutes }, text)
})

test('days, times and offsets that do not exist are none', () => {
  for (const text of [
    '',
    '2026-03:04',
    '2026-03-04Z',
    '0000:00:00 00:00:00',
    '2026-02-29T00:00:00',
    '2026-13-01T00:00:00',
    '2026-00-01T00:00:00',
    '2026-03-04T24:00:00',
    '2026-03-04T05:60:00',
    '2026-03-04T05:06:60',
    '1899-12-31T00:00:00',
    '2026-03-04T05:06:07+15:00',
    '2026-03-04T05:06:07+01:75',
    '04.03.2026 05:06',
    'now',
  ])
    assert.is(parseMoment(text), undefined, text)
})

test('offsets go up to 14 hours', () => {
  assert.equal(['Z', '+14:00', '-1100', '+05'].map(parseOffset), [0, 840, -660, 300])
  assert.equal(['+14:01', '5', '+5:00', ''].map(parseOffset), Array(4).fill(undefined))
})

test('a clock that was never set is not plausible', () => {
  assert.is(isPlausible(Date.UTC(1980, 0, 6)), false)
  assert.is(isPlausible(Date.UTC(1990, 0, 1)), true)
  assert.is(isPlausible(Date.UTC(2100, 0, 1)), false)
})

test.run()
