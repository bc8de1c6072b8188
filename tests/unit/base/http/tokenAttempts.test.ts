import { createTokenAttempts } from '#internal/base/http/tokenAttempts'
import { createFakeClock, settle } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('attempts with tokens')
const { signal } = new AbortController()

function guesses() {
  const clock = createFakeClock()
  const attempts = createTokenAttempts(clock)
  const done: string[] = []
  const attempt = (address: string, accepted?: number, name = address) =>
    attempts.take(address, accepted, signal).then(
      () => void done.push(name),
      (error) => void done.push(String(error.code)),
    )
  return { clock, done, attempt }
}

test('twenty wrong ones of an address are answered at once, further ones two a second', async () => {
  const { clock, done, attempt } = guesses()
  for (let count = 0; count < 24; count += 1) void attempt('192.0.2.1')
  await settle()
  assert.is(done.length, 20)
  await clock.advance(1000)
  assert.is(done.length, 22)
  await clock.advance(1000)
  assert.is(done.length, 24)
})

test('a right one waits its turn like a wrong one, so that the time of an answer tells nothing', async () => {
  const { clock, done, attempt } = guesses()
  for (let count = 0; count < 21; count += 1) void attempt('192.0.2.1')
  void attempt('192.0.2.1', 0, 'right')
  await clock.advance(999)
  assert.is(done.includes('right'), false)
  await clock.advance(1)
  assert.is(done.at(-1), 'right')
})

test('one that was right from this address before, and other addresses, do not wait', async () => {
  const { done, attempt } = guesses()
  await attempt('192.0.2.1', 1, 'first')
  for (let count = 0; count < 100; count += 1) void attempt('192.0.2.1')
  await settle()
  done.length = 0
  await attempt('192.0.2.1', 1, 'again')
  await attempt('192.0.2.2', undefined, 'other')
  assert.equal(done, ['again', 'other'])
})

test('of hundreds at once, those that would wait for more than half a minute are told when to come back', async () => {
  const { clock, done, attempt } = guesses()
  for (let count = 0; count < 200; count += 1) void attempt('192.0.2.1')
  await clock.advance(30_000)
  assert.is(done.filter((each) => each === 'too-busy').length, 200 - 20 - 60)
  assert.is(clock.timers, 0)
})

test('a client that leaves waits no longer', async () => {
  const clock = createFakeClock()
  const attempts = createTokenAttempts(clock)
  for (let count = 0; count < 20; count += 1) await attempts.take('192.0.2.1', undefined, signal)
  const leaving = new AbortController()
  const waiting = attempts.take('192.0.2.1', undefined, leaving.signal).catch((error: unknown) => error)
  const reason = new Error('left')
  leaving.abort(reason)
  assert.is(await waiting, reason)
  assert.is(clock.timers, 0)
})

test.run()
