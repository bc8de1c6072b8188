import { createDeferred } from '#internal/base/async/deferred'
import { ServiceError } from '#internal/base/errors'
import { answerWithEvents, type SendEvent, wantsEvents } from '#internal/base/http/eventStream'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createTestLog } from '#support/values/testLog'

const test = suite('an answer as events')

function setUp() {
  const clock = createFakeClock()
  const log = createTestLog()
  const answer = (work: (send: SendEvent, leaving: AbortSignal) => Promise<unknown>) =>
    answerWithEvents({ clock, log }, work)
  return { clock, logged: log.errors, answer }
}

test('who asks for events gets them', () => {
  const asks = (Accept?: string) =>
    wantsEvents({ headers: new Headers(Accept === undefined ? {} : { Accept }) })
  for (const accept of [
    'text/event-stream',
    'application/json, Text/Event-Stream;q=0.9',
    'text/event-stream , */*',
  ])
    assert.ok(asks(accept), accept)
  for (const accept of [undefined, '*/*', 'text/*', 'text/event-streams', 'xtext/event-stream'])
    assert.not.ok(asks(accept), accept)
})

test('a failure before the first event is thrown, one after it is the last event', async () => {
  const { answer, clock, logged } = setUp()
  const busy = new ServiceError('too-busy', 'Come again.')
  assert.is(await answer(() => Promise.reject(busy)).catch((error: unknown) => error), busy)
  assert.is(clock.timers, 0)
  const failing = (error: unknown) =>
    answer((send) => {
      send('progress', {})
      return Promise.reject(error)
    }).then((response) => response.text())
  assert.match(
    await failing(busy),
    /event: error\ndata: \{"code":"too-busy","detail":"Come again.","status":429\}\n\n$/,
  )
  assert.equal(logged, [])
  const text = await failing(new TypeError('x of /var/secret'))
  assert.match(text, /"code":"internal"/)
  assert.not.match(text, /secret/)
  assert.is(logged.length, 1)
})

test('silence is broken every 15 s', async () => {
  const { answer, clock } = setUp()
  const over = createDeferred()
  const response = await answer(async (send) => {
    send('progress', {})
    await over.promise
  })
  await clock.advance(31_000)
  over.resolve()
  assert.is((await response.text()).split(': keep-alive\n\n').length, 4)
  await clock.advance(0)
  assert.is(clock.timers, 0)
})

test('who stops reading ends the work', async () => {
  const { answer, clock, logged } = setUp()
  const ended = createDeferred<unknown>()
  const response = await answer((send, leaving) => {
    send('progress', {})
    return new Promise((_, reject) => {
      leaving.onabort = () => {
        ended.resolve(leaving.reason)
        reject(leaving.reason)
      }
    })
  })
  await response.body?.cancel()
  assert.instance(await ended.promise, ServiceError)
  await clock.advance(0)
  assert.is(clock.timers, 0)
  assert.equal(logged, [])
})

test.run()
