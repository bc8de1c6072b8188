import { createFileLog } from '#core/room/service/log/fileLog'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('the log for a file')

function setUp() {
  const lines: string[] = []
  const log = createFileLog({ write: (line) => void lines.push(line), clock: createFakeClock() })
  return { lines, log }
}

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

test.run()
