import { Peer } from '#internal/easytier/peer/peer'
import { newRecord } from '#internal/easytier/peer/routing/ownRoute'
import {
  decodePacket,
  encodePacket,
  MAX_FORWARDS,
  packetFlags,
  packetTypes,
} from '#internal/easytier/wire/packet'
import { createFakeClock } from '#support/network/fakeClock'
import { MEMBER_FEATURES } from '#support/network/memberRecord'
import { createFarEnd, type FarEnd } from '#support/network/replayTransports'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'

const test = suite('easytier: a peer', { setUp, tearDown: ({ close }) => close() })

const [NEAR, FAR, THIRD] = [1, 2, 3]

test('unsealed, forwarded too often, misdirected and looped packets are dropped', async (parts) => {
  const { clock, near, payloads, packets, meet } = parts
  const atFar = await meet()
  packets.length = 0
  near.send(FAR, packetTypes.data, Uint8Array.of(7))
  await clock.advance(50)
  const sealed = packets.map(decodePacket).find((packet) => packet?.type === packetTypes.data)
  assert.ok(sealed)
  payloads.length = 0
  const deliver = (changes: Partial<typeof sealed>) => {
    const header = { ...sealed, ...changes }
    atFar.hand(encodePacket(header, sealed.payload))
  }
  deliver({})
  assert.is(payloads.length, 1, 'the packet as it was sent')
  deliver({ forwards: MAX_FORWARDS })
  assert.is(payloads.length, 2)
  deliver({ forwards: MAX_FORWARDS + 1 })
  deliver({ flags: sealed.flags & ~packetFlags.encrypted })
  deliver({ to: 3 })
  deliver({ from: FAR })
  deliver({ from: 3 })
  assert.is(payloads.length, 2)
})

test('a member seals otherwise whose packets cannot be opened, or come unsealed, three times in a row', async (parts) => {
  const { clock, near, far, packets, meet } = parts
  const atFar = await meet()
  packets.length = 0
  near.send(FAR, packetTypes.data, Uint8Array.of(7))
  await clock.advance(50)
  const sealed = packets.map(decodePacket).find((packet) => packet?.type === packetTypes.data)
  assert.ok(sealed)
  const good = encodePacket(sealed, sealed.payload)
  const unsealed = encodePacket({ ...sealed, flags: 0 }, sealed.payload)
  const ofOtherKey = good.with(good.length - 1, (good.at(-1) ?? 0) ^ 1)
  for (const bad of [ofOtherKey, unsealed]) {
    const seen = [bad, bad, good, bad, bad, bad, good].map((packet) => {
      atFar.hand(packet.slice())
      return far.sealsOtherwise(NEAR)
    })
    assert.equal(seen, [false, false, false, false, false, true, false])
  }
})

test('a neighbour cannot speak for another one, in payloads as in calls', async (parts) => {
  const { clock, near, payloads, packets, meet, meetThird } = parts
  const ofNear = await meet()
  const ofThird = await meetThird()
  packets.length = 0
  near.send(FAR, packetTypes.data, Uint8Array.of(7))
  near.call(FAR, 'getGlobalPeerMap', new Uint8Array(0), 3000, () => {})
  await clock.advance(5)
  const sealed = packets.filter((bytes) => {
    const packet = decodePacket(bytes)
    return packet?.from === NEAR && packet.type !== packetTypes.ping
  })
  assert.is(sealed.length, 2)
  const answers = () => packets.filter((bytes) => decodePacket(bytes)?.type === packetTypes.rpcResponse)
  payloads.length = 0
  packets.length = 0
  for (const bytes of sealed) ofThird.hand(bytes)
  assert.equal([payloads, answers()], [[], []], 'the third one repeats what the first has sent')
  for (const bytes of sealed) ofNear.hand(bytes)
  assert.is(payloads.length, 1)
  assert.is(answers().length, 1, 'the call is answered')
})

for (const minutes of [0.5, 5])
  test(`a peer that was away for ${minutes} minutes is seen again by all, unchanged as it is`, async (parts) => {
    const { clock, near, meet, meetThird } = parts
    await meet()
    const ofThird = await meetThird()
    assert.ok(near.peer(THIRD))
    ofThird.link.close()
    await clock.advance(minutes * 60_000)
    assert.is(near.peer(THIRD), undefined)
    await meetThird()
    assert.is(near.peer(THIRD)?.record.hostname, 'peer-3')
  })

test('a member has 16 connections at most, and its newest is among them', async (parts) => {
  const { clock, near, far, payloads, meet } = parts
  for (let count = 0; count < 40; count += 1) await meet()
  assert.is(far.connections.established().length, 16)
  await clock.advance(60_000)
  assert.equal([far.connections.established().length, near.connections.established().length], [16, 16])
  near.send(FAR, packetTypes.data, Uint8Array.of(7))
  await clock.advance(50)
  assert.is(payloads.length, 1)
})

test('a closed peer calls no listener', async ({ clock, near, events, meet }) => {
  const atFar = await meet()
  events.length = 0
  near.close()
  atFar.end()
  await clock.advance(20)
  assert.not(events.some((event) => event.startsWith('1 ')))
})

/** Two peers with a connection of 10 ms between them. */
function setUp() {
  const clock = createFakeClock()
  const opened: Peer[] = []
  const events: string[] = []
  const packets: Uint8Array[] = []
  const payloads: { at: number; type: number; payload: Uint8Array; from: number }[] = []
  const open = (ownId: number) => {
    const { bytes } = createPrng(ownId)
    const address = `10.144.144.${ownId}`
    const peer = Peer.open({
      identity: { name: 'room', secret: 'secret' },
      record: newRecord(
        { peerId: ownId, hostname: `peer-${ownId}`, address, programVersion: '1', features: MEMBER_FEATURES },
        bytes,
      ),
      clock,
      randomBytes: bytes,
      onPayload: (type, payload, from) =>
        void payloads.push({ at: ownId, type, payload: payload.slice(), from }),
    })
    peer.connectionOpened.subscribe(({ peerId }) => void events.push(`${ownId} opened ${peerId}`))
    peer.connectionClosed.subscribe(({ problem }) => void events.push(`${ownId} closed ${problem}`))
    opened.push(peer)
    return peer
  }
  const near = open(NEAR)
  const far = open(FAR)
  /** Connects a peer to the far one. @returns the end there */
  const dial = async (peer: Peer) => {
    const carry = (packet: Uint8Array, to: () => FarEnd) => {
      packets.push(packet)
      clock.after(10, () => to().hand(packet))
    }
    const there: FarEnd = createFarEnd((packet) => carry(packet, () => here))
    const here = createFarEnd((packet) => carry(packet, () => there))
    for (const [one, other] of [
      [here, there],
      [there, here],
    ] as const)
      void one.link.closed.then(() => clock.after(10, other.end))
    far.connections.take(there.link, { isDialler: false })
    peer.connections.take(here.link, { isDialler: true })
    await clock.advance(1000)
    return there
  }
  const meet = () => dial(near)
  let third: Peer | undefined
  /** A third peer connects to the far one, the same peer each time. */
  const meetThird = () => {
    third ??= open(THIRD)
    return dial(third)
  }
  /** Closes all, and sees that nothing is left. */
  const close = async () => {
    for (const peer of opened) peer.close()
    await clock.advance(50)
    assert.is(clock.timers, 0)
  }
  return { clock, near, far, events, packets, payloads, meet, meetThird, close }
}

test.run()
