import { createPacketInbox, plainAddress } from '#internal/adapters/transports/packetInbox'
import { assert, suite } from '#support/runner/suite'

const test = suite('packet inbox')

function setUp() {
  const calls: string[] = []
  const inbox = createPacketInbox({ pause: () => calls.push('pause'), resume: () => calls.push('resume') })
  return { calls, inbox }
}

test('packets are held for a listener, in order, and passed on directly afterwards', () => {
  const { calls, inbox } = setUp()
  const received: number[] = []
  inbox.take(Uint8Array.of(1))
  inbox.take(Uint8Array.of(2))
  inbox.listen(([first = 0]) => received.push(first))
  inbox.take(Uint8Array.of(3))
  assert.equal(received, [1, 2, 3])
  assert.equal(calls, [])
})

test('the connection is paused at 64 held packets, and resumed by the listener', () => {
  const { calls, inbox } = setUp()
  for (let count = 0; count < 63; count += 1) inbox.take(Uint8Array.of(count))
  assert.equal(calls, [])
  inbox.take(Uint8Array.of(63))
  assert.equal(calls, ['pause'])
  let count = 0
  inbox.listen(() => {
    count += 1
  })
  assert.is(count, 64)
  assert.equal(calls, ['pause', 'resume'])
})

test('nothing is passed on after it is closed, not even by a listener that closes it', () => {
  const { inbox } = setUp()
  const received: number[] = []
  inbox.take(Uint8Array.of(1))
  inbox.take(Uint8Array.of(2))
  inbox.listen(([first = 0]) => {
    received.push(first)
    inbox.close()
  })
  inbox.take(Uint8Array.of(3))
  assert.equal(received, [1])
})

test('addresses are without prefix and zone', () => {
  for (const [given, plain] of [
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::FFFF:1.2.3.4', '1.2.3.4'],
    ['::ffff:102:304', '::ffff:102:304'],
    ['fe80::1%eth0', 'fe80::1'],
    ['1.2.3.4', '1.2.3.4'],
    [undefined, ''],
  ] as const)
    assert.is(plainAddress(given), plain)
})

test.run()
