import { encodeCallBody, readCall } from '#core/easytier/rpc/rpcMessage'
import { decodePiece } from '#core/easytier/rpc/rpcPiece'
import { rpcMethods, rpcPacket } from '#core/easytier/wire/messages'
import { packetTypes } from '#core/easytier/wire/packet'
import { everyPacket, unhex } from '#support/network/easytierVectors'

/** What a packet carries before it is sealed. */
export type Plain = { readonly type: number; readonly payload: Uint8Array }

export type Ends = { readonly from: number; readonly to: number; readonly network: string }

/** Every recorded packet of the real program, opened. */
export const recorded: readonly Plain[] = everyPacket().map(({ packet }) => ({
  type: packet.header.packet_type,
  payload: unhex(packet.compressed?.plaintext ?? packet.sealed?.plaintext ?? packet.bytes.slice(32)),
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

/** A copy with a few bits, bytes or numbers changed, cut, doubled or mixed with another; now and then as it was. */
export function mutate(bytes: Uint8Array, other: Uint8Array, random: () => number): Uint8Array {
  const at = Math.floor(random() * bytes.length)
  const kind = Math.floor(random() * 12)
  if (kind === 0) return bytes.slice(0, at)
  if (kind === 1) return bytes.slice(at)
  if (kind === 2) return joined(bytes.subarray(0, at), bytes)
  if (kind === 3) return joined(bytes.subarray(0, at), other.subarray(Math.floor(random() * other.length)))
  const copy = bytes.slice()
  if (kind === 4) return copy
  if (kind === 5 && bytes.length >= 4) {
    const place = Math.floor(random() * (bytes.length - 3))
    new DataView(copy.buffer).setUint32(place, EXTREMES[Math.floor(random() * EXTREMES.length)] ?? 0, true)
    return copy
  }
  for (let turn = 1 + Math.floor(random() * 4); turn > 0 && copy.length > 0; turn -= 1) {
    const place = Math.floor(random() * copy.length)
    if (kind < 9) copy[place] = (copy[place] ?? 0) ^ (1 << Math.floor(random() * 8))
    else copy[place] = Math.floor(random() * 256)
  }
  return copy
}

const EXTREMES = [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_fff0]

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}
