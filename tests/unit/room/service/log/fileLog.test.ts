import { createFileLog, joinLogs } from '#core/room/service/log/fileLog'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('the log for a file')

function setUp() {
  const lines: string[] = []
  const log = createFileLog({ write: (line) => void lines.push(line), clock: createFakeClock() })
  return { lines, log }
}

test('an entry is a line with its time, level and fields, without the secrets of room codes', () => {
  const { lines, log } = setUp()
  log.info('joins U/YNZE-U61D-2206-HXRG', { code: 'L/YNZE-U61D-2206-HXRG', count: 2n })
  assert.equal(lines, [
    '2026-01-01T00:00:00.000Z info joins U/YNZE-U61D-****-**** {"code":"L/****-****-****-****","count":"2"}\n',
  ])
})

test('polls are no lines of it, failed requests are', () => {
  const { lines, log } = setUp()
  log.debug('request', { request_id: 'x', route: '/state', status: 200 })
  log.error('request failed', { request_id: 'x', route: '/state', status: 500 })
  log.debug('link', { kind: 'node' })
  assert.equal(
    lines.map((line) => line.split(' ').slice(1, 3)),
    [
      ['error', 'request'],
      ['debug', 'link'],
    ],
  )
})

test('joined logs get every entry', () => {
  const [one, other] = [setUp(), setUp()]
  const log = joinLogs([one.log, other.log])
  log.warn('a')
  log.error('b', { c: 1 })
  log.debug('d')
  log.info('e')
  assert.is(one.lines.length, 4)
  assert.equal(other.lines, one.lines)
})

test.run()
