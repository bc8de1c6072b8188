import { withFileLog, withoutSecrets } from '#internal/room/service/log/logLine'
import { createRoomLog } from '#internal/room/service/log/roomLog'
import { createFeed } from '#internal/room/service/state/feed'
import type { FeedMessage } from '#internal/room/service/state/feedMessages'
import { silentLog } from '#support/values/testLog'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('the room’s log', { setUp: createLog })

const CODE = 'U/YNZE-U61D-2206-HXRG'

function createLog() {
  const clock = createFakeClock()
  const feed = createFeed('run', clock)
  const messages: FeedMessage[] = []
  feed.subscribe((message) => messages.push(message))
  const lines: unknown[] = []
  const line = (level: string) => (message: string, fields?: unknown) =>
    void lines.push([level, message, fields])
  const sink = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  return {
    log: createRoomLog({ sink, feed, clock, stopping: new AbortController().signal }),
    messages,
    lines,
    clock,
  }
}

test('a line goes to the program’s log, to the feed and into memory', ({ log, messages, lines }) => {
  log.warn('the world does not answer', { port: 25565 })
  assert.equal(lines, [['warn', 'the world does not answer', { port: 25565 }]])
  const timestamp = '2026-01-01T00:00:00.000Z'
  assert.equal(messages, [
    { type: 'log', level: 'warn', message: 'the world does not answer {"port":25565}', timestamp, index: 1 },
  ])
  assert.is(log.text(), `${timestamp} warn the world does not answer {"port":25565}\n`)
})

test('an entry with a code has code and fields of its own in the feed, without what is this machine’s', () => {
  const { log, messages } = createLog()
  log.warn('too much', { code: 'over-share', members: [{ memberId: '7' }], cause: '/home/alex' })
  const [message] = messages
  assert.ok(message?.type === 'log')
  assert.is(message.code, 'over-share')
  assert.equal(message.fields, { code: 'over-share', members: [{ memberId: '7' }] })
})

test('of a flood the feed gets a few lines and the number of the others, and all with a code', async () => {
  const { log, messages, clock } = createLog()
  for (let count = 0; count < 100; count += 1) log.info('again')
  log.warn('too much', { code: 'over-share' })
  await clock.advance(2000)
  log.info('later')
  assert.equal(
    messages.map((message) => message.type === 'log' && message.message),
    [
      ...Array.from({ length: 5 }, () => 'again'),
      'too much {"code":"over-share"}',
      '95 more lines were written: GET /log has the last ones.',
      'later',
    ],
  )
  assert.is(log.text().split('again').length, 101)
})

test('the last thousand lines are kept', ({ log }) => {
  for (let number = 1; number <= 1001; number++) log.debug(`line ${number}`)
  const kept = log.text().trim().split('\n')
  assert.is(kept.length, 1000)
  assert.match(kept[0] ?? '', /line 2$/)
  assert.match(kept.at(-1) ?? '', /line 1001$/)
})

test('no code keeps its secret half: in text, fields, errors, addresses, in any case', () => {
  const { log, messages, lines } = createLog()
  log.info(`joining ${CODE} and ${CODE.toLowerCase()}`, {
    room: CODE,
    list: [{ deep: `see ${CODE}!` }],
    address: `/state/guesting?room=${encodeURIComponent(CODE)}&player=x`,
    [CODE]: 1,
    reason: new Error(`no ${CODE}`, { cause: new Error(`because of ${CODE}`) }),
  })
  for (const text of [log.text(), JSON.stringify(messages), JSON.stringify(lines)]) {
    assert.not.match(text, /2206|HXRG/i)
    assert.match(text, /U\/YNZE-U61D-\*\*\*\*-\*\*\*\*/)
    assert.match(text, /because of/)
  }
})

test('of the code of a private room nothing is kept', () => {
  for (const code of ['L/0123-4567-89AB-CDEH', 'l%2f0123-4567-89ab-cdeh']) {
    assert.match(withoutSecrets(`see ${code}!`), /^see l(?:\/|%2f)\*{4}-\*{4}-\*{4}-\*{4}!$/i)
  }
})

test('the feed gets no cause and no error, which go to the log alone', ({ log, messages, lines }) => {
  const error = new Error('ENOENT: /home/me/x')
  for (const level of ['warn', 'error'] as const) {
    log[level]('failed', { port: 1, cause: { message: error.message }, error })
    log[level]('broken', { cause: String(error) })
  }
  assert.equal(
    messages.map((message) => message.type === 'log' && message.message),
    ['failed {"port":1}', 'broken', 'failed {"port":1}', 'broken'],
  )
  for (const text of [log.text(), JSON.stringify(lines)]) assert.is(text.split('/home/me/x').length, 7)
})

test('what is no code stays as it is', () => {
  for (const text of ['', 'U/1', 'tcp://node:1', 'YNZE-U61D-2206-HXRG', 'U/YNZE-U61D']) {
    assert.is(withoutSecrets(text), text)
  }
})

test('in a file, polls are no lines, failed requests are', () => {
  const lines: string[] = []
  const log = withFileLog(silentLog(), {
    write: (line) => void lines.push(line),
    clock: createFakeClock(),
  })
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

test('in a file, the messages of an error and its causes are one text', () => {
  const lines: string[] = []
  const log = withFileLog(silentLog(), {
    write: (line) => void lines.push(line),
    clock: createFakeClock(),
  })
  const cause = new Error('socket', { cause: 'ECONNRESET' })
  log.warn('ended', { reason: new Error('upload', { cause }), alone: new Error('alone') })
  assert.match(lines[0] ?? '', /ended \{"reason":"upload \(socket\)","alone":"alone"\}\n$/)
})

test.run()
