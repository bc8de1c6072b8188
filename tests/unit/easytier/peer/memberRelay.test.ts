import * as fc from 'fast-check'
import { createMemberRelay } from '#internal/easytier/peer/memberRelay'
import { decodePacket, encodePacket, MAX_FORWARDS, packetTypes } from '#internal/easytier/wire/packet'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { peerConnection } from './peerConnection'

const test = suite('a member as relay', { setUp })

const [OWN, STEVE, ALEX, NODE, STRANGER] = [1, 2, 3, 4, 5]

const connectionOf = (peerId: number, send: (packet: Uint8Array) => void = () => {}) =>
  peerConnection(peerId, { send, isSharedNode: peerId === NODE })

function setUp({ connected = [STEVE, ALEX, NODE], bytesPerSecond = 1_000_000 } = {}) {
  const clock = createFakeClock()
  const world = { connected }
  const sent: { readonly to: number; readonly bytes: Uint8Array }[] = []
  const relay = createMemberRelay({
    ownId: OWN,
    bytesPerSecond,
    clock,
    isMember: (peerId) => [STEVE, ALEX].includes(peerId),
    connectionTo: (peerId) =>
      world.connected.includes(peerId)
        ? connectionOf(peerId, (bytes) => void sent.push({ to: peerId, bytes }))
        : undefined,
    maySpeakFor: (connection, from) => connection.isSharedNode || connection.peerId === from,
  })
  const take = (
    from: number,
    to: number,
    change: { via?: number; forwards?: number; type?: number } = {},
  ) => {
    const { via = from, forwards = 1, type = packetTypes.kcpSource } = change
    const bytes = encodePacket({ from, to, type, flags: 1, forwards }, Uint8Array.of(7, 8, 9))
    const packet = decodePacket(bytes)
    assert.ok(packet)
    relay.forward(packet, bytes, connectionOf(via))
    return bytes
  }
  return { clock, relay, sent, world, take }
}

test('a packet goes on to its target unread, with a forward counter that is one higher', () => {
  const { relay, sent, take } = setUp()
  const bytes = take(STEVE, ALEX, { forwards: 3 })
  const [{ to, bytes: next } = { to: 0, bytes: new Uint8Array(0) }] = sent
  assert.is(to, ALEX)
  assert.equal([bytes[10], next[10]], [3, 4], 'the one that came is not changed')
  const same = next.slice()
  same[10] = 3
  assert.equal(same, bytes)
  assert.equal(relay.totals(), { pairs: 1, bytes: bytes.length })
})

test('only members get and send something, and nothing goes back where it came from', ({ sent, take }) => {
  take(STEVE, NODE)
  take(NODE, STEVE)
  take(STEVE, STRANGER)
  take(STRANGER, STEVE, { via: NODE })
  take(STEVE, STEVE)
  take(STEVE, OWN)
  take(OWN, STEVE, { via: NODE })
  take(ALEX, STEVE, { via: STEVE })
  take(STEVE, 0)
  assert.is(sent.length, 0)
  take(STEVE, ALEX, { via: NODE })
  assert.is(sent.length, 1, 'a shared node may lead to a member that it does not reach itself')
})

test('a member cannot speak for another one, and a packet that travels in a circle is dropped', () => {
  const { sent, take } = setUp({ connected: [STEVE, ALEX] })
  take(STRANGER, ALEX, { via: STEVE })
  take(STEVE, ALEX, { forwards: MAX_FORWARDS + 1 })
  assert.is(sent.length, 0)
  take(STEVE, ALEX, { forwards: MAX_FORWARDS })
  assert.is(sent.length, 1)
})

test('a target without a direct connection gets nothing, also when it is lost while the packet waits', async () => {
  const { clock, relay, sent, take, world } = setUp({ bytesPerSecond: 10_000 })
  world.connected = [STEVE]
  take(STEVE, ALEX)
  assert.is(sent.length, 0)
  world.connected = [STEVE, ALEX]
  for (let packet = 0; packet < 200; packet += 1) take(STEVE, ALEX)
  const before = sent.length
  world.connected = [STEVE]
  await clock.advance(10_000)
  assert.is(sent.length, before)
  assert.is(clock.timers, 0)
  relay.close()
})

test('a member that sends in many names has no larger share than one that sends in its own', async () => {
  const clock = createFakeClock()
  const [GREEDY, HONEST, TARGET] = [10, 11, 12]
  const senders: number[] = []
  const note = (bytes: Uint8Array) => void senders.push(decodePacket(bytes)?.from ?? 0)
  const relay = createMemberRelay({
    ownId: OWN,
    bytesPerSecond: 100_000,
    clock,
    isMember: () => true,
    connectionTo: (peerId) => (peerId === TARGET ? connectionOf(TARGET, note) : undefined),
    maySpeakFor: () => true,
  })
  const take = (via: number, from: number) => {
    const bytes = encodePacket({ from, to: TARGET, type: packetTypes.data }, new Uint8Array(1000))
    const packet = decodePacket(bytes)
    assert.ok(packet)
    relay.forward(packet, bytes, connectionOf(via))
  }
  for (let time = 0; time < 100; time += 1) {
    for (let made = 0; made < 32; made += 1) take(GREEDY, 100 + made)
    take(HONEST, HONEST)
    await clock.advance(10)
  }
  const honest = senders.filter((from) => from === HONEST).length
  assert.ok(honest > 0.4 * senders.length, `${honest} of ${senders.length}`)
  relay.close()
})

test('pairs are counted for ten seconds after their last packet, both directions as one, calls not at all', async () => {
  const { clock, relay, take } = setUp()
  take(STEVE, ALEX, { type: packetTypes.rpcRequest })
  assert.is(relay.totals().pairs, 0)
  take(STEVE, ALEX)
  take(ALEX, STEVE)
  assert.is(relay.totals().pairs, 1)
  await clock.advance(10_001)
  assert.is(relay.totals().pairs, 0)
  assert.ok(relay.totals().bytes > 0)
})

/** Members that all relay, and shared nodes that send on what they get, with any links and any wrong routes. */
const networks = fc.record({
  links: fc.uniqueArray(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 30, selector: String }),
  nodes: fc.uniqueArray(fc.nat(6), { maxLength: 2 }),
  from: fc.nat(6),
  to: fc.nat(6),
  start: fc.nat(6),
  choices: fc.array(fc.nat(6), { maxLength: 40 }),
})

test('whatever the links are, a packet is forwarded by one member at most, and then it is at its target', () => {
  assertProperty(
    fc.property(networks, ({ links, nodes, from, to, start, choices }) => {
      const areLinked = (one: number, other: number) =>
        one !== other && links.some(([a, b]) => (a === one && b === other) || (a === other && b === one))
      const forwards: { readonly at: number; readonly next: number }[] = []
      const clock = createFakeClock()
      const linkTo = (peerId: number) => ({ ...connectionOf(peerId), isSharedNode: nodes.includes(peerId) })
      const relayAt = (at: number) =>
        createMemberRelay({
          ownId: at,
          bytesPerSecond: 1e9,
          clock,
          isMember: (peerId) => !nodes.includes(peerId),
          connectionTo: (peerId) =>
            areLinked(at, peerId)
              ? { ...linkTo(peerId), send: () => void forwards.push({ at, next: peerId }) }
              : undefined,
          maySpeakFor: () => true,
        })
      const bytes = encodePacket({ from, to, type: packetTypes.data, forwards: 1 }, Uint8Array.of(1))
      const packet = decodePacket(bytes)
      assert.ok(packet)
      // The packet wanders as wrong routes lead it: from the start over one neighbour after the other.
      let before = start
      for (const at of choices) {
        if (!areLinked(before, at)) continue
        const count = forwards.length
        if (!nodes.includes(at)) relayAt(at).forward(packet, bytes, linkTo(before))
        const [forward] = forwards.slice(count)
        if (forward) {
          assert.is(forward.next, to)
          assert.is.not(forward.next, before)
          assert.is.not(forward.at, to)
          // It is there: a target forwards nothing that is for itself.
          relayAt(to).forward(packet, bytes, linkTo(forward.at))
          assert.is(forwards.length, count + 1)
          return
        }
        before = at
      }
    }),
    { numRuns: 500 },
  )
})

test.run()
