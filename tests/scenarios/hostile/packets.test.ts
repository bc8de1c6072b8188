import * as assert from 'uvu/assert'
import { encodePacket, packetFlags, packetTypes } from '#core/easytier/wire/packet'
import { createSimulation } from '#support/network/link'
import { suite } from '#support/runner/suite'
import { EVIL, type Evil, type Ground, heldMebibytes, helloOf, NETWORK, openGround } from './ground'
import { between, mutate, type Plain, recorded } from './mutation'

const test = suite('easytier: a million damaged packets', { timeoutMs: 300_000 })

test('200,000 from a member, sealed with the right key: nothing breaks, memory stays, and the good stream goes on', async () => {
  const ground = await openGround()
  const evil = await ground.enter()
  const ends = { from: EVIL, to: ground.host.ownId, network: NETWORK.name }
  const packets = recorded.map((packet) => between(packet, ends))
  const random = createSimulation(20_261).random
  await ground.goesOn()
  let before = 0
  for (let count = 0; count < 200_000; count += 1) {
    evil.far.hand(packetOf(pick(packets, random), pick(packets, random), evil, ground, random))
    if (count % 2000 === 0) await ground.clock.advance(5)
    if (count % 20_000 === 0) await ground.goesOn()
    if (count === 50_000) before = heldMebibytes()
  }
  await ground.goesOn()
  const held = heldMebibytes() - before
  assert.ok(held < 40, `${held} MiB more after 150,000 packets`)
  assert.is(evil.far.isClosed, false)
  await ground.close()
})

test('60,000 from strangers before the handshake, of which a few say hello: they are closed, and the others go on', async () => {
  const ground = await openGround()
  const random = createSimulation(20_262).random
  const hello = helloOf(EVIL)
  const before = heldMebibytes()
  let visitor = ground.knock()
  for (let count = 0; count < 60_000; count += 1) {
    const { type, payload } = pick(recorded, random)
    const whole = encodePacket({ from: EVIL, to: random() < 0.5 ? 0 : ground.host.ownId, type }, payload)
    visitor.far.hand(mutate(random() < 0.2 ? hello : whole, hello, random))
    if (visitor.far.isClosed || random() < 0.1) {
      visitor.far.end()
      visitor = ground.knock()
    }
    if (count % 2000 === 0) await ground.clock.advance(5)
    if (count % 20_000 === 0) await ground.goesOn()
  }
  visitor.far.end()
  await ground.goesOn()
  const held = heldMebibytes() - before
  assert.ok(held < 40, `${held} MiB more`)
  await ground.close()
})

test.run()

/** Mostly sealed as they must be, so that what is inside is read; the header is damaged now and then, too. */
function packetOf(plain: Plain, other: Plain, evil: Evil, ground: Ground, random: () => number): Uint8Array {
  const payload = mutate(plain.payload, other.payload, random)
  const isOdd = random() < 0.1
  const target = {
    from: isOdd && random() < 0.5 ? Math.floor(random() * 2 ** 32) : EVIL,
    to: isOdd && random() < 0.2 ? Math.floor(random() * 2 ** 32) : ground.host.ownId,
    type: isOdd && random() < 0.5 ? pick(TYPES, random) : plain.type,
    flags: isOdd ? Math.floor(random() * 256) & ~packetFlags.encrypted : 0,
    forwards: isOdd ? Math.floor(random() * 12) : 1,
  }
  const isPlain = plain.type === packetTypes.ping || plain.type === packetTypes.pong || random() < 0.05
  const packet = isPlain ? encodePacket(target, payload) : evil.seal.seal(target, payload)
  return random() < 0.05 ? mutate(packet, packet, random) : packet
}

const TYPES = [...Object.values(packetTypes), 10, 20, 255]

function pick<T>(list: readonly T[], random: () => number): T {
  const found = list[Math.floor(random() * list.length)]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}
