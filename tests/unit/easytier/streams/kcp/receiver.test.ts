import { createMemoryBudget } from '#internal/easytier/streams/kcp/memoryBudget'
import { KcpReceiver } from '#internal/easytier/streams/kcp/receiver'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: receiving half of KCP', { setUp: start })

test('segments are joined in order; those beyond a gap wait for it', ({ receiver, push }) => {
  push(1, 'b')
  assert.equal([receiver.hasGap(), receiver.read()], [true, undefined])
  push(0, 'a')
  assert.equal([receiver.hasGap(), new TextDecoder().decode(receiver.read())], [false, 'ab'])
  assert.is(receiver.next, 2)
})

test('one ack covers all in order, with the newest timestamp; each one beyond a gap has its own', () => {
  const { push, acks } = start()
  for (const [sequence, text] of [
    [0, 'a'],
    [1, 'b'],
    [3, 'd'],
    [5, 'f'],
  ] as const)
    push(sequence, text)
  assert.equal(acks(), ['3@3', '5@5', '1@1'])
  assert.equal(acks(), [])
  push(2, 'c')
  assert.equal(acks(), ['2@2'])
})

test('repetitions are acknowledged again', ({ push, acks, receiver }) => {
  push(0, 'a')
  acks()
  push(0, 'a')
  assert.equal(acks(), ['0@0'])
  assert.is(receiver.readable, 1)
})

test('with a spent budget 32 segments in order are taken, and none beyond a gap', () => {
  const { receiver, push, budget } = start(1000)
  budget.take(1000)
  push(1, 'x')
  assert.is(receiver.hasGap(), false)
  for (let i = 0; i < 40; i += 1) push(i, 'x')
  assert.equal([receiver.next, receiver.window], [32, 0])
})

test('the budget gets back what is read, and all that is discarded', ({ receiver, push, budget }) => {
  push(0, 'abc')
  assert.is(budget.held, 128 + 3)
  receiver.read()
  assert.is(budget.held, 0)
  push(1, 'a')
  push(3, 'b')
  receiver.discard()
  assert.is(budget.held, 0)
  push(2, 'c')
  assert.is(receiver.next, 3, 'still acknowledged')
  assert.is(receiver.readable, 0)
})

test('32 acknowledgements are urgent', ({ receiver, push }) => {
  for (let i = 0; i < 31; i += 1) push(i, 'x')
  assert.is(receiver.isUrgent, false)
  push(31, 'x')
  assert.is(receiver.isUrgent, true)
})

function start(limit = 1_000_000) {
  const budget = createMemoryBudget(limit)
  const receiver = new KcpReceiver(budget)
  const push = (sequence: number, text: string) =>
    receiver.push(sequence, sequence, new TextEncoder().encode(text))
  const acks = () => {
    const found: string[] = []
    receiver.takeAcks((sequence, timestamp) => found.push(`${sequence}@${timestamp}`))
    return found
  }
  return { budget, receiver, push, acks }
}

test.run()
