import { packetTypes, rpcMethods } from '@lantern-room/easytier/wire'
import { encodeCallBody, readCall } from '#internal/easytier/rpc/rpcMessage'
import { decodePiece } from '#internal/easytier/rpc/rpcPiece'
import { rpcPacket } from '#internal/easytier/wire/messages'
import { everyPacket, plainTextOf } from '#support/network/easytierVectors'

/** What a packet carries before it is sealed. */
export type Plain = { readonly type: number; readonly payload: Uint8Array }

export type Ends = { readonly from: number; readonly to: number; readonly network: string }

/** Every recorded packet of the real program, opened. */
export const recorded: readonly Plain[] = everyPacket().map(({ packet }) => ({
  type: packet.header.packet_type,
  payload: plainTextOf(packet),
}))

/** As if the recorded peers were these two: only so what is inside is read at all. */
export function between({ type, payload }: Plain, ends: Ends): Plain {
  if (type === packetTypes.rpcRequest || type === packetTypes.rpcResponse)
    return { type, payload: readdressed(payload, ends) }
  if (type !== packetTypes.kcpSource && type !== packetTypes.kcpDestination) return { type, payload }
  const copy = payload.slice()
  const view = new DataView(copy.buffer)
  const [source, destination] = type === packetTypes.kcpSource ? [ends.from, ends.to] : [ends.to, ends.from]
  view.setUint32(4, source, true)
  view.setUint32(8, destination, true)
  return { type, payload: copy }
}

function readdressed(payload: Uint8Array, { from, to, network }: Ends): Uint8Array {
  const packet = rpcPacket.decode(payload)
  if (!packet) throw new Error('a recorded piece that cannot be read')
  return rpcPacket.encode({
    ...packet,
    fromPeer: from,
    toPeer: to,
    body: asTold(payload, from) ?? packet.body,
    ...(packet.descriptor && { descriptor: { ...packet.descriptor, domainName: network } }),
  })
}

/** A neighbour's table counts only where the neighbour itself tells it. */
function asTold(payload: Uint8Array, from: number): Uint8Array | undefined {
  const { service, method, request } = rpcMethods.syncRouteInfo
  const piece = decodePiece(payload)
  if (piece?.method?.service !== service || piece.method.method !== method) return undefined
  if (piece.total !== 1 || piece.compression > 1) return undefined
  const call = readCall({ ...piece, method: piece.method })
  const sync = call && request.decode(call.request)
  return sync && encodeCallBody({ ...call, request: request.encode({ ...sync, myPeerId: from }) })
}

export function pick<T>(list: readonly T[], random: () => number): T {
  const found = list[Math.floor(random() * list.length)]
  if (found === undefined) throw new Error('nothing to pick from')
  return found
}
