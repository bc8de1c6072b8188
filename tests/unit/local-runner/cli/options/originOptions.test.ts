import { assert, suite } from '#support/runner/suite'
import { readOrigin } from '../../../../../local-runner/cli/options/readOptions'
import { UsageError } from '../../../../../local-runner/commandLine/readArguments'

const test = suite('options about the recording')

type Given = Partial<Record<string, string>>
const read = (given: Given) => readOrigin({ get: (name) => given[name] })

test('without any the date of the video is written', () => {
  assert.equal(read({}), { metadata: 'date', capturedAt: undefined, timeZone: undefined })
})

test('a date with an offset is a moment, one without it is in the zone', () => {
  assert.equal(read({ 'captured-at': '2026-03-04T05:06:07+02:00', metadata: 'all' }), {
    metadata: 'all',
    capturedAt: { unixMs: Date.UTC(2026, 2, 4, 3, 6, 7), offsetMinutes: 120 },
    timeZone: undefined,
  })
  const { capturedAt, timeZone } = read({ 'captured-at': '2026-03-04T05:06:07', 'time-zone': 'Asia/Tokyo' })
  assert.equal([capturedAt?.offsetMinutes, timeZone], [undefined, 'Asia/Tokyo'])
})

const mistakes: readonly (readonly [Given, string])[] = [
  [{ metadata: 'place' }, '--metadata must be one of none, date, all, not "place".'],
  [{ metadata: '' }, '--metadata must be one of none, date, all, not "".'],
  [
    { 'captured-at': 'today\x1b[2J' },
    '--captured-at must be a date such as 2026-03-04 or 2026-03-04T05:06:07+02:00, not "today?[2J".',
  ],
  [
    { 'captured-at': '2026-03-04T05:06', metadata: 'none' },
    '--captured-at is not written with --metadata none: leave one of them out.',
  ],
  [
    { 'time-zone': 'Mars' },
    '--time-zone must be an offset such as +02:00 or a name such as Europe/Berlin, not "Mars".',
  ],
]
for (const [given, message] of mistakes)
  test(`${JSON.stringify(given)} is refused`, () => {
    assert.throws(
      () => read(given),
      (error: unknown) => error instanceof UsageError && error.message === message,
    )
  })

test.run()
