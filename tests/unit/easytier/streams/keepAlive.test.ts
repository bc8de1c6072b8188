import { createKeepAlive } from '#core/easytier/streams/keepAlive'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: keep-alive of a stream')

const NEVER = Number.POSITIVE_INFINITY

test('a ping is due every 10 s without a packet from the other side', () => {
  const keepAlive = createKeepAlive(0, NEVER)
  assert.is(keepAlive.deadline(undefined), 10_000)
  assert.is(keepAlive.check(9999, undefined), undefined)
  assert.is(keepAlive.check(10_000, undefined), 'ping')
  assert.is(keepAlive.check(10_001, undefined), undefined)
  assert.is(keepAlive.deadline(undefined), 20_000)
  keepAlive.received(15_000)
  assert.is(keepAlive.deadline(undefined), 25_000)
})

test('the other side is dead after 60 s of silence', () => {
  const keepAlive = createKeepAlive(0, NEVER)
  keepAlive.received(5000)
  assert.is(keepAlive.check(64_999, undefined), 'ping')
  assert.is(keepAlive.deadline(undefined), 65_000)
  assert.is(keepAlive.check(65_000, undefined), 'dead')
})

test('it is dead, too, when nothing was acknowledged for 60 s, whatever else it sends', () => {
  const keepAlive = createKeepAlive(0, NEVER)
  keepAlive.received(100_000)
  assert.is(keepAlive.check(100_000, 40_001), undefined)
  assert.is(keepAlive.deadline(40_001), 100_001)
  assert.is(keepAlive.check(100_001, 40_001), 'dead')
})

test('a stream without data becomes idle at its limit, one with data never', () => {
  const keepAlive = createKeepAlive(1000, 5000)
  assert.is(keepAlive.deadline(undefined), 6000)
  assert.is(keepAlive.check(5999, undefined), undefined)
  assert.is(keepAlive.check(6000, undefined), 'idle')
  keepAlive.used()
  assert.is(keepAlive.check(6000, undefined), undefined)
  assert.is(keepAlive.deadline(undefined), 11_000)
})

test.run()
