import { createSharedMemory } from '#internal/easytier/streams/kcp/memoryBudget'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: memory of streams')

test('a peer that does not read spends its own share, and not that of others', () => {
  const { of, own } = createSharedMemory({ perPeer: 10, total: 25 })
  of(1).take(10)
  assert.equal([of(1).isSpent(), of(2).isSpent(), own.isSpent(), own.held], [true, false, false, 10])
  of(1).release(4)
  assert.equal([of(1).isSpent(), of(1).held, own.held], [false, 6, 6])
})

test('all together have a limit, too', () => {
  const { of, own } = createSharedMemory({ perPeer: 10, total: 25 })
  for (const peerId of [1, 2, 3]) of(peerId).take(9)
  assert.equal([of(1).isSpent(), of(4).isSpent(), own.isSpent()], [true, true, true])
  of(2).release(9)
  assert.equal([of(1).isSpent(), of(2).held, own.held], [false, 0, 18])
})

test.run()
