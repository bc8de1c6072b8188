import { createPacer } from '#core/easytier/streams/kcp/pacer'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: pacing of KCP segments', { setUp: createPacer })

test('96 segments may leave while the path is unknown', (pacer) => {
  pacer.refill(0, Number.POSITIVE_INFINITY)
  assert.equal([takeAll(pacer), pacer.nextDeadline()], [96, 1])
  pacer.refill(5, Number.POSITIVE_INFINITY)
  assert.equal([pacer.nextDeadline(), takeAll(pacer)], [Number.POSITIVE_INFINITY, 96])
})

test('then as many as the rate gives since the last time, at most 4 ms of it, and at least 32', (pacer) => {
  pacer.refill(0, 20)
  assert.is(takeAll(pacer), 80)
  pacer.refill(1, 20)
  assert.is(takeAll(pacer), 20)
  pacer.refill(100, 20)
  assert.is(takeAll(pacer), 80)
  pacer.refill(200, 0.5)
  assert.is(takeAll(pacer), 32)
})

test('fractions add up', (pacer) => {
  pacer.refill(0, 0.5)
  takeAll(pacer)
  pacer.refill(1, 0.5)
  assert.equal([takeAll(pacer), pacer.nextDeadline()], [0, 2])
  pacer.refill(2, 0.5)
  assert.is(takeAll(pacer), 1)
})

function takeAll(pacer: ReturnType<typeof createPacer>): number {
  let count = 0
  while (pacer.take()) count += 1
  return count
}

test.run()
