import { viewOf } from '@lantern-room/base/bytes'
import { packetTypes } from '@lantern-room/easytier/wire'
import { encodeStreamPacket, encodeStreamRoute, streamFlags } from '#internal/easytier/streams/streamPacket'
import { type AttackContext, GAME_PORT, HOST_ADDRESS } from './attackContext'

/** More streams than there may be, opened and left alone. */
export function streamFlood(context: AttackContext): void {
  const { chance } = context
  for (let count = chance.integer(30, 150); count > 0; count -= 1) {
    const port = chance.pick([GAME_PORT, GAME_PORT, 22])
    send(context, chance.integer(0, 2 ** 32 - 1), streamFlags.syn, route(port))
  }
}

/** Opens a stream, and says impossible things in it. */
export function wrongWindows(context: AttackContext): void {
  const { chance } = context
  const conv = chance.integer(0, 2 ** 32 - 1)
  send(context, conv, streamFlags.syn, route(GAME_PORT))
  for (let count = chance.integer(5, 40); count > 0; count -= 1) {
    const segments = new Uint8Array(24 + chance.pick([0, 0, 10, 1000]))
    const view = viewOf(segments)
    view.setUint32(0, chance.isTrue(0.9) ? conv : 1, true)
    view.setUint8(4, chance.pick([81, 81, 82, 83, 84, 0]))
    view.setUint16(6, chance.pick([0, 1, 128, 1024, 65_535]), true)
    view.setUint32(8, chance.integer(0, 2 ** 32 - 1), true)
    view.setUint32(12, chance.pick([0, 1, 2, 1023, 1024, 0x7fffffff, 0xffffffff]), true)
    view.setUint32(16, chance.pick([0, 1, 1024, 0x7fffffff, 0xffffffff]), true)
    view.setUint32(20, chance.pick([segments.length - 24, 0, 1, 1176, 0xffffffff]), true)
    send(context, conv, streamFlags.ack | streamFlags.data, segments)
  }
  if (chance.isTrue(0.5))
    send(context, conv, chance.pick([streamFlags.fin, streamFlags.rst, 0xff]), new Uint8Array(0))
}

/** Packets in the name of others: their streams must not notice. */
export function foreignStreams(context: AttackContext): void {
  const { chance } = context
  const all = context.targets()
  for (const source of all)
    for (const destination of all) {
      const flags = chance.pick([streamFlags.rst, streamFlags.fin, streamFlags.ping, streamFlags.syn])
      const body = flags === streamFlags.syn ? route(GAME_PORT) : new Uint8Array(0)
      const packet = encodeStreamPacket({ conv: chance.integer(0, 5), source, destination, flags, body })
      const type = chance.pick([packetTypes.kcpSource, packetTypes.kcpDestination])
      context.sealed({ to: destination, type }, packet)
      context.sealed({ from: source, to: destination, type }, packet)
    }
}

function send(context: AttackContext, conv: number, flags: number, body: Uint8Array): void {
  for (const to of context.targets()) {
    const packet = encodeStreamPacket({ conv, source: context.ownId, destination: to, flags, body })
    context.sealed({ to, type: packetTypes.kcpSource }, packet)
  }
}

function route(port: number): Uint8Array {
  return encodeStreamRoute({ source: { address: 0, port: 0 }, destination: { address: HOST_ADDRESS, port } })
}
