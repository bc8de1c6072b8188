import { createTcpReceiver, TCP_WINDOW } from '#core/easytier/streams/tcp/tcpReceiver'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: receiving half of TCP')

const bytes = (...values: number[]) => Uint8Array.from(values)

test('segments are joined in order, whatever their order and overlap', () => {
  const receiver = createTcpReceiver(0xfffffffe)
  assert.is(receiver.take(1, bytes(4, 5), false), false)
  assert.is(receiver.hasGap, true)
  assert.is(receiver.take(0xfffffffe, bytes(1, 2), false), true)
  assert.is(receiver.next, 0)
  assert.is(receiver.take(0xffffffff, bytes(2, 3), false), true)
  assert.is(receiver.next, 3)
  assert.is(receiver.hasGap, false)
  assert.equal(receiver.read(), bytes(1, 2, 3, 4, 5))
  assert.is(receiver.read(), undefined)
})

test('bytes that are here already are not new', () => {
  const receiver = createTcpReceiver(10)
  receiver.take(10, bytes(1, 2), false)
  assert.is(receiver.take(10, bytes(1, 2), false), false)
  assert.is(receiver.readable, 2)
})

test('FIN counts as one number, after all data', () => {
  const receiver = createTcpReceiver(10)
  assert.is(receiver.take(12, bytes(), true), false)
  assert.is(receiver.hasEnded, false)
  receiver.take(10, bytes(1, 2), false)
  assert.is(receiver.hasEnded, true)
  assert.is(receiver.next, 13)
  assert.is(receiver.take(13, bytes(9), false), false, 'nothing comes after it')
})

test('the window shrinks by what waits to be read, and what is beyond it is refused', () => {
  const receiver = createTcpReceiver(0)
  assert.is(receiver.take(0, new Uint8Array(TCP_WINDOW - 1), false), true)
  assert.is(receiver.window, 1)
  assert.is(receiver.take(receiver.next, bytes(1, 2), false), false)
  receiver.read()
  assert.is(receiver.window, 1 + 64 * 1024)
})

test('at most 256 early segments are kept', () => {
  const receiver = createTcpReceiver(0)
  for (let i = 0; i < 300; i += 1) receiver.take(1 + i, bytes(i), false)
  receiver.take(0, bytes(0), false)
  assert.is(receiver.next, 257)
})

test('what is discarded is acknowledged all the same', () => {
  const receiver = createTcpReceiver(0)
  receiver.discard()
  assert.is(receiver.take(0, bytes(1, 2, 3), false), true)
  assert.is(receiver.next, 3)
  assert.is(receiver.read(), undefined)
})
