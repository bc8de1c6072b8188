import { packetTypes } from '@lantern-room/easytier/wire'
import { encodePacket, packetFlags } from '#internal/easytier/wire/packet'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { mutate } from '#support/values/mutate'
import { createPrng } from '#support/values/prng'
import { hello, openMeeting, ROOM, relayId } from '../relay/meeting'
import { holdsLessFromNow } from './attackedRoom'
import { between, pick, recorded } from './mutation'

const test = suite('relay: damaged recorded packets', { timeoutMs: 300_000 })

test('50,000 before and after the handshake: members still reach each other, and nothing is kept', async () => {
  const meeting = openMeeting({ connectionsPerAddress: 1e6, bytesPerSecond: 1e9 })
  const random = createPrng(20_264).next
  const one = await meeting.enter(ROOM, 1)
  const two = await meeting.enter(ROOM, 2)
  const attacker = await meeting.enter(ROOM, 3)
  const packets = recorded.map((packet) => between(packet, { from: 3, to: relayId(one), network: ROOM.name }))
  let holdsLess = holdsLessFromNow()
  for (let count = 0; count < 50_000; count += 1) {
    const { type, payload } = pick(packets, random)
    const target = {
      from: random() < 0.95 ? 3 : pick([0, 1, 2, 4], random),
      to: pick([relayId(one), relayId(one), 2, 0], random),
      type,
    }
    const flags = random() < 0.9 ? 0 : Math.floor(random() * 256)
    const whole = encodePacket({ ...target, flags }, mutate(payload, pick(packets, random).payload, random))
    if (count % 10 === 0) {
      const stranger = meeting.connect('192.0.2.66')
      stranger.send(mutate(hello(ROOM, 50 + (count % 1000)), whole, random))
      stranger.hang()
    } else attacker.send(whole)
    // What the test itself would keep.
    for (const { packets: kept, raw } of [one, two, attacker]) {
      kept.length = Math.min(kept.length, 1)
      raw.length = 0
    }
    if (count % 2000 === 0) await meeting.clock.advance(100)
    if (count % 10_000 !== 0) continue
    one.send(
      encodePacket({ from: 1, to: 2, type: packetTypes.data, flags: packetFlags.encrypted }, noise(50)),
    )
    const last = two.raw.at(-1)
    assert.is(last?.length, 66, `after ${count}`)
    if (count === 30_000) holdsLess = holdsLessFromNow()
  }
  assert.equal([one.isClosed, two.isClosed], [false, false])
  holdsLess(20)
  assert.is(meeting.relay.counters().networks <= 10, true)
  meeting.relay.close()
  await meeting.clock.advance(0)
  assert.is(meeting.clock.timers, 0)
})

test.run()
