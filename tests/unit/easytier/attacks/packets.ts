import { viewOf } from '@lantern-room/base/bytes'
import { packetTypes } from '@lantern-room/easytier/wire'
import { encodePacket, encodePing, packetFlags } from '#internal/easytier/wire/packet'
import type { AttackContext } from './attackContext'

/** Packets that look sealed and are not, or by another key, or compressed without being it. */
export function badSeals(context: AttackContext): void {
  const { chance } = context
  for (const to of context.targets())
    for (let count = chance.integer(3, 10); count > 0; count -= 1) {
      const flags = packetFlags.encrypted | chance.pick([0, packetFlags.compressed, 0xfe])
      const type = chance.pick([1, 8, 9, 11, 12])
      context.plain({ to, type, flags }, chance.bytes(chance.pick([0, 1, 27, 28, 29, 500])))
      context.sealed({ to, type, flags: packetFlags.compressed }, chance.bytes(chance.integer(0, 200)))
    }
}

/** Lengths, counters, types and senders that are not true. */
export function badHeaders(context: AttackContext): void {
  const { chance } = context
  for (const to of [...context.targets(), 0, context.ownId, 0xffffffff]) {
    const from = chance.pick([context.ownId, 0, to, 0xffffffff])
    const packet = encodePacket(
      { from, to, type: chance.integer(0, 255) },
      chance.bytes(chance.integer(0, 300)),
    )
    viewOf(packet).setUint32(12, chance.pick([0, 1, 0x7fffffff, 0xffffffff]), true)
    packet[9] = chance.integer(0, 255)
    packet[10] = chance.integer(0, 255)
    context.raw(packet)
    // A second greeting, and pings that nobody waits for.
    context.plain({ from, to: 0, type: packetTypes.handshake }, chance.bytes(chance.integer(0, 60)))
    context.plain(
      { from, to, type: chance.pick([packetTypes.ping, packetTypes.pong]) },
      chance.bytes(chance.integer(0, 6)),
    )
  }
}

/** Pings of a neighbour, each of which is answered, and calls without effect, which are answered sealed. */
export function pingFlood({ chance, node, ownId, targets, raw }: AttackContext): void {
  for (const to of targets()) {
    for (let count = chance.integer(50, 200); count > 0; count -= 1) raw(encodePing(ownId, to, count))
    for (let count = chance.integer(5, 30); count > 0; count -= 1)
      node.call(to, 'getGlobalPeerMap', new Uint8Array(0), 1000, () => {})
  }
}

export function noise(context: AttackContext): void {
  const { chance } = context
  for (let count = chance.integer(5, 40); count > 0; count -= 1)
    context.raw(chance.bytes(chance.integer(16, 2000)))
}
