import type { QueryPacket, ResponseOutgoingPacket, ResponsePacket } from 'multicast-dns'

/** A listener in multicast DNS: the records of DNS service discovery (RFC 6763). */

/** The name in every query: it does not reveal the room. */
export const SERVICE = '_lantern-room._tcp.local'

/** Short: a listener seldom outlives its room. */
const TTL_SECONDS = 20

const LABEL = Buffer.from('_lantern-room')
/** Ours have four records. A datagram may claim 65,535 of each kind, which would be costly to read. */
const MAX_RECORDS = 64
const HEADER_SIZE = 12

/** Whether a datagram is worth decoding: a LAN is full of multicast DNS, and may have hostile senders. */
export function mayConcernUs(datagram: Buffer): boolean {
  if (datagram.length < HEADER_SIZE || !datagram.includes(LABEL)) return false
  const counts = [4, 6, 8, 10].map((at) => datagram.readUInt16BE(at))
  return counts.reduce((sum, count) => sum + count) <= MAX_RECORDS
}

/** @returns whether a query asks for our service, or for this listener by its name */
export function asksFor(query: QueryPacket, key: string): boolean {
  return (query.questions ?? []).some(({ name }) => name === SERVICE || name === instanceOf(key))
}

/**
 * All records of a listener, so that no second query is needed.
 * @param address IPv4, of the interface that the answer is sent on
 */
export function recordsOf(
  listener: { readonly key: string; readonly port: number; readonly address: string },
  ttl = TTL_SECONDS,
): ResponseOutgoingPacket['answers'] {
  const { key, port, address } = listener
  const instance = instanceOf(key)
  const target = `${key}.local`
  return [
    { type: 'PTR', name: SERVICE, ttl, data: instance },
    { type: 'SRV', name: instance, ttl, data: { port, target, priority: 0, weight: 0 } },
    { type: 'TXT', name: instance, ttl, data: 'v=1' },
    { type: 'A', name: target, ttl, data: address },
  ]
}

/** @returns the port of this key's listener; undefined if the answer is about other listeners, or a goodbye */
export function portIn(response: ResponsePacket, key: string): number | undefined {
  const instance = instanceOf(key)
  for (const record of [...(response.answers ?? []), ...(response.additionals ?? [])]) {
    if (record.type !== 'SRV' || record.name !== instance || record.ttl === 0) continue
    const { port } = record.data
    return port > 0 ? port : undefined
  }
  return undefined
}

function instanceOf(key: string): string {
  return `${key}.${SERVICE}`
}
