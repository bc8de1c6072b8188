import { THIS_MACHINE } from '#core/room/roomNetwork'
import { createPace } from '#core/room/scaffolding/pace'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { hasResolved } from '#support/values/hasResolved'

const test = suite('the pace of requests', { setUp: start })

function start() {
  const clock = createFakeClock()
  const delayed: string[] = []
  const pace = createPace(clock, { perSecond: 2, burst: 1 }, (memberId) => void delayed.push(memberId))
  return { clock, delayed, pace, signal: new AbortController().signal }
}

test('each member has its own pace, and one that comes too early waits', async () => {
  const { clock, delayed, pace, signal } = start()
  await pace('one', signal)
  await pace('other', signal)
  const second = pace('one', signal)
  const isOver = hasResolved(second)
  await clock.advance(499)
  assert.is(isOver(), false)
  await clock.advance(1)
  await second
  assert.equal(delayed, ['one'])
})

test('programs of this machine are not delayed', async ({ delayed, pace, signal }) => {
  for (let count = 0; count < 100; count += 1) await pace(THIS_MACHINE, signal)
  assert.equal(delayed, [])
})

test('a wait ends with the connection', async ({ clock, pace }) => {
  const closing = new AbortController()
  await pace('one', closing.signal)
  const waiting = pace('one', closing.signal).then(
    () => 'answered',
    (error: unknown) => String(error),
  )
  closing.abort(new Error('closed'))
  assert.is(await waiting, 'Error: closed')
  assert.is(clock.timers, 0)
})

test.run()
