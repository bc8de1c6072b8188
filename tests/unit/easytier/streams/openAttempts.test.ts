import { createOpenAttempts } from '#core/easytier/streams/openAttempts'
import { StreamError } from '#core/easytier/streams/streamError'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: attempts to open a stream', { setUp: start })

test('five attempts: at once, after 100 ms, then every 200 ms; given up after 10 s', ({ attempts, log }) => {
  const times: number[] = []
  for (let at = 0; at !== Number.POSITIVE_INFINITY; at = attempts.nextDeadline()) {
    times.push(at)
    attempts.tick(at)
  }
  assert.equal(times, [0, 100, 300, 500, 700, 10_000])
  assert.equal(log, [
    ...['start 1', 'start 2', 'start 3', 'start 4', 'start 5'],
    ...['give up 1', 'give up 2', 'give up 3', 'give up 4', 'give up 5', 'unanswered'],
  ])
})

test('the one that succeeds stays, the others are given up, and nothing is due any more', () => {
  const { attempts, log } = start()
  for (const at of [0, 100, 300]) attempts.tick(at)
  attempts.succeeded(2)
  attempts.tick(5000)
  assert.equal(log.slice(3), ['give up 1', 'give up 3'])
  assert.is(attempts.nextDeadline(), Number.POSITIVE_INFINITY)
})

test('it is refused when all five attempts are, not before', ({ attempts, log }) => {
  for (const at of [0, 100, 300, 500]) attempts.tick(at)
  for (const conv of [1, 2, 3, 4]) attempts.refused(conv)
  attempts.tick(700)
  assert.equal(log.slice(4), ['refused 1', 'refused 2', 'refused 3', 'refused 4', 'start 5'])
  attempts.refused(5)
  assert.equal(log.slice(9), ['refused 5', 'refused'])
})

test('it fails once', ({ attempts, log }) => {
  attempts.tick(0)
  const error = new StreamError('cancelled')
  attempts.fail(error)
  attempts.fail(error)
  attempts.tick(20_000)
  assert.equal(log, ['start 1', 'give up 1', 'cancelled'])
})

function start() {
  const log: string[] = []
  let conv = 0
  const attempts = createOpenAttempts({
    now: 0,
    start() {
      conv += 1
      log.push(`start ${conv}`)
      return conv
    },
    giveUp: (number, isRefused) => log.push(`${isRefused ? 'refused' : 'give up'} ${number}`),
    onFail: ({ reason }) => log.push(reason),
  })
  return { attempts, log }
}

test.run()
