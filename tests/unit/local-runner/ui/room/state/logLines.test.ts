import type { LogLevel } from '@lantern-room/base'
import { assert, suite } from '#support/runner/suite'
import { addLine } from '../../../../../../local-runner/ui/room/state/logLines'
import type { LogLine } from '../../../../../../local-runner/ui/room/state/records'

const test = suite('lines of the log')

const line = (index: number, level: LogLevel = 'info', message = `line ${index}`): LogLine => ({
  index,
  level,
  message,
  timestamp: '2026-01-01T00:00:00.000Z',
})

test('a line that comes again after a reconnect is one line', () => {
  assert.equal(addLine([line(1)], line(1)), [line(1)])
  assert.equal(addLine([line(1)], line(2)), [line(1), line(2)])
  const other = { ...line(1), timestamp: '2026-01-01T00:00:01.000Z' }
  assert.equal(addLine([line(1)], other), [line(1), other], 'of another run')
})

test('the last 1,000 lines are kept', () => {
  let lines: readonly LogLine[] = []
  for (let index = 1; index <= 1001; index += 1) lines = addLine(lines, line(index))
  assert.is(lines.length, 1000)
  assert.is(lines[0]?.index, 2)
})

test.run()
