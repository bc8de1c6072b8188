import { packetTypes } from '@lantern-room/easytier/wire'
import { encodeUdp } from '#internal/easytier/ip/udp'
import { type AttackContext, GAME_PORT, HOST_ADDRESS } from './attackContext'

const OWN_ADDRESS = 0x0a909042

/** IP packets with lengths, fragments and protocols that make no sense. */
export function ipRubbish(context: AttackContext): void {
  const { chance } = context
  for (let count = chance.integer(10, 60); count > 0; count -= 1) {
    const [packet = new Uint8Array(0)] = encodeUdp(endpoints(context), chance.bytes(chance.integer(0, 1000)))
    const changed = packet.slice(0, chance.isTrue(0.3) ? chance.integer(0, packet.length) : packet.length)
    // Checksums are not looked at everywhere: a few fields of the header are enough.
    for (let times = chance.integer(1, 4); times > 0; times -= 1) {
      const at = chance.integer(0, Math.min(27, Math.max(0, changed.length - 1)))
      changed[at] = chance.integer(0, 255)
    }
    send(context, changed)
  }
}

/** A flow for each datagram. */
export function flowFlood(context: AttackContext): void {
  const { chance } = context
  for (let count = chance.integer(50, 300); count > 0; count -= 1) {
    for (const packet of encodeUdp(endpoints(context), chance.bytes(4))) send(context, packet)
  }
}

function endpoints({ chance }: AttackContext) {
  const sourcePort = chance.integer(1, 65_535)
  const source = chance.isTrue(0.8) ? OWN_ADDRESS : chance.integer(0, 2 ** 32 - 1)
  return { source, sourcePort, target: HOST_ADDRESS, targetPort: GAME_PORT, id: chance.integer(0, 65_535) }
}

function send(context: AttackContext, packet: Uint8Array): void {
  const all = context.targets()
  const to = all[context.chance.integer(0, Math.max(0, all.length - 1))]
  if (to !== undefined) context.sealed({ to, type: packetTypes.data }, packet)
}
