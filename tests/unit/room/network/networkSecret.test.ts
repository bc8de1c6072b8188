import type { RemotePeer } from '#core/easytier/peer/peerOptions'
import { drawnIdentity } from '#core/room/network/networkIdentity'
import { createNetworkSecret } from '#core/room/network/networkSecret'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('room: the host changes the secret of the network', { setUp })

const GUEST = { record: { features: { isSharedNode: false } } } as unknown as RemotePeer
const NODE = { record: { features: { isSharedNode: true } } } as unknown as RemotePeer

test('each change draws another secret and opens its network beside that of the code', async () => {
  const { clock, secret, opened } = setUp()
  assert.is(secret.current(), undefined)
  secret.change()
  const first = secret.current()
  assert.is(first?.length, 32, 'it can be told at once')
  secret.change()
  const second = secret.current()
  await clock.advance(0)
  assert.not.equal(second, first)
  assert.equal(
    opened.names,
    [first, second].map((one) => drawnIdentity(one ?? new Uint8Array(0)).name),
  )
})

test('a replaced network closes when no member is left in it, and the last one and that of the code stay', async () => {
  const { clock, secret, opened, stop } = setUp()
  secret.change()
  await clock.advance(0)
  opened.peers.set(1, [GUEST])
  secret.change()
  await clock.advance(5000)
  assert.equal(opened.list, [0, 1, 2])
  opened.peers.set(1, [NODE])
  await clock.advance(1000)
  assert.equal([opened.list, clock.timers], [[0, 2], 0])
  stop()
})

test('who stays in it has a minute', async ({ clock, secret, opened }) => {
  secret.change()
  await clock.advance(0)
  opened.peers.set(1, [GUEST])
  secret.change()
  await clock.advance(59_000)
  assert.equal(opened.list, [0, 1, 2])
  await clock.advance(1000)
  assert.equal(opened.list, [0, 2])
})

test('the end of the room ends the wait', async ({ clock, secret, opened, stop }) => {
  secret.change()
  await clock.advance(0)
  opened.peers.set(1, [GUEST])
  secret.change()
  await clock.advance(500)
  stop()
  await clock.advance(0)
  assert.is(clock.timers, 0)
})

function setUp() {
  const clock = createFakeClock()
  const stopping = new AbortController()
  const opened = { list: [0], names: [] as string[], peers: new Map<number, readonly RemotePeer[]>() }
  let drawn = 0
  const generations = {
    list: () => opened.list,
    peersOf: (generation: number) => opened.peers.get(generation) ?? [],
    async close(generation: number) {
      opened.list = opened.list.filter((one) => one !== generation)
    },
    open: () => assert.unreachable() as never,
    at: () => undefined,
    move() {},
  }
  const secret = createNetworkSecret({
    member: {
      signal: stopping.signal,
      network: { generations },
      async openNext({ name }) {
        opened.names.push(name)
        const generation = opened.names.length
        opened.list = [...opened.list, generation]
        return generation
      },
    },
    randomBytes(size) {
      drawn += 1
      return new Uint8Array(size).fill(drawn)
    },
    clock,
    log: silentLog(),
  })
  return { clock, secret, opened, stop: () => stopping.abort(new Error('the room is closed')) }
}

test.run()
