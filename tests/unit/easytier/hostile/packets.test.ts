import { packetTypes } from '@lantern-room/easytier/wire'
import { encodePacket, packetFlags } from '#internal/easytier/wire/packet'
import { assert, suite } from '#support/runner/suite'
import { mutate } from '#support/values/mutate'
import { createPrng } from '#support/values/prng'
import {
  ATTACKER_ID,
  type AttackedRoom,
  type Attacker,
  helloOf,
  holdsLessFromNow,
  NETWORK,
  openAttackedRoom,
} from './attackedRoom'
import { between, type Plain, pick, recorded } from './mutation'

const test = suite('easytier: damaged packets without end', { timeoutMs: 300_000 })

test('60,000 from a member, sealed with the right key: no error, no growing memory, and an honest stream continues', async () => {
  const room = await openAttackedRoom()
  const attacker = await room.joinAttacker()
  const ends = { from: ATTACKER_ID, to: room.host.ownId, network: NETWORK.name }
  const packets = recorded.map((packet) => between(packet, ends))
  const random = createPrng(20_261).next
  await room.checkStream()
  let holdsLess = holdsLessFromNow()
  for (let count = 0; count < 60_000; count += 1) {
    attacker.far.hand(packetOf(pick(packets, random), pick(packets, random), attacker, room, random))
    if (count % 2000 === 0) await room.clock.advance(5)
    if (count % 20_000 === 0) await room.checkStream()
    if (count === 20_000) holdsLess = holdsLessFromNow()
  }
  await room.checkStream()
  holdsLess(30, 'more after 40,000 packets')
  assert.is(attacker.far.isClosed, false)
  await room.close()
})

test('15,000 from unknown peers before the handshake, a few with one: they are closed, and members are not affected', async () => {
  const room = await openAttackedRoom()
  const random = createPrng(20_262).next
  const hello = helloOf(ATTACKER_ID)
  const holdsLess = holdsLessFromNow()
  let visitor = room.connectStranger()
  for (let count = 0; count < 15_000; count += 1) {
    const { type, payload } = pick(recorded, random)
    const whole = encodePacket({ from: ATTACKER_ID, to: random() < 0.5 ? 0 : room.host.ownId, type }, payload)
    visitor.far.hand(mutate(random() < 0.2 ? hello : whole, hello, random))
    if (visitor.far.isClosed || random() < 0.1) {
      visitor.far.end()
      visitor = room.connectStranger()
    }
    if (count % 2000 === 0) await room.clock.advance(5)
    if (count % 5000 === 0) await room.checkStream()
  }
  visitor.far.end()
  await room.checkStream()
  holdsLess(40, 'more')
  await room.close()
})

/** Mostly sealed as they must be, so that what is inside is read; the header is damaged now and then, too. */
function packetOf(
  plain: Plain,
  other: Plain,
  attacker: Attacker,
  room: AttackedRoom,
  random: () => number,
): Uint8Array {
  const payload = mutate(plain.payload, other.payload, random)
  const isOdd = random() < 0.1
  const target = {
    from: isOdd && random() < 0.5 ? Math.floor(random() * 2 ** 32) : ATTACKER_ID,
    to: isOdd && random() < 0.2 ? Math.floor(random() * 2 ** 32) : room.host.ownId,
    type: isOdd && random() < 0.5 ? pick(TYPES, random) : plain.type,
    flags: isOdd ? Math.floor(random() * 256) & ~packetFlags.encrypted : 0,
    forwards: isOdd ? Math.floor(random() * 12) : 1,
  }
  const isPlain = plain.type === packetTypes.ping || plain.type === packetTypes.pong || random() < 0.05
  const packet = isPlain ? encodePacket(target, payload) : attacker.seal.seal(target, payload)
  return random() < 0.05 ? mutate(packet, packet, random) : packet
}

const TYPES = [...Object.values(packetTypes), 10, 20, 255]

test.run()
