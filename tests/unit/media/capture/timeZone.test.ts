import { instantOf, type TimeZone, timeZoneOf } from '#internal/media/capture/timeZone'
import { assert, suite } from '#support/runner/suite'

const test = suite('a time zone')

function zone(name: string): TimeZone {
  const found = timeZoneOf(name)
  if (!found) throw new Error(`${name} is not known`)
  return found
}

const WINTER = Date.UTC(2026, 0, 15, 12)
const SUMMER = Date.UTC(2026, 6, 15, 12)

test('a name knows summer and winter, an offset neither', () => {
  assert.equal([WINTER, SUMMER].map(zone('Europe/Berlin')), [60, 120])
  assert.equal([WINTER, SUMMER].map(zone('America/St_Johns')), [-210, -150])
  assert.equal([WINTER, SUMMER].map(zone('UTC')), [0, 0])
  assert.equal([WINTER, SUMMER].map(zone('+05:30')), [330, 330])
  assert.equal([WINTER, SUMMER].map(zone('Z')), [0, 0])
})

test('a local time is found also in the hours around a change of the clocks', () => {
  const berlin = zone('Europe/Berlin')
  for (const [local, unixMs] of [
    [Date.UTC(2026, 2, 29, 1, 59), Date.UTC(2026, 2, 29, 0, 59)],
    [Date.UTC(2026, 2, 29, 3, 1), Date.UTC(2026, 2, 29, 1, 1)],
    [Date.UTC(2026, 9, 25, 1, 30), Date.UTC(2026, 9, 24, 23, 30)],
    [Date.UTC(2026, 9, 25, 3, 30), Date.UTC(2026, 9, 25, 2, 30)],
  ] as const)
    assert.is(instantOf(local, berlin), unixMs)
})

test('other names are none', () => {
  for (const name of ['', 'Mars/Olympus', '+25:00', 'x', '../etc/passwd', 'Europe/Berlin '.repeat(20)])
    assert.is(timeZoneOf(name), undefined, name)
})

test.run()
