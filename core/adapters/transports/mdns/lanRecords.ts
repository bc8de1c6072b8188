import type { QueryPacket, ResponseOutgoingPacket, ResponsePacket } from 'multicast-dns'

/** The multicast DNS records of a listener, as DNS service discovery (RFC 6763) has them. */

/** All queries ask for the service: they do not reveal which room is wanted. */
export const SERVICE = '_lantern-room._tcp.local'

/** Short, since a listener closes with its room. */
const TTL_SECONDS = 20

const LABEL = Buffer.from('_lantern-room')
/** Ours have four. A datagram may claim 65,535 of each kind, and be expensive to decode. */
const MAX_RECORDS = 64
const HEADER_SIZE = 12

/** Whether a datagram may be about our service, so that it has to be decoded: a LAN is full of other multicast DNS. */
export function mentionsService(datagram: Buffer): boolean {
  if (datagram.length < HEADER_SIZE || !datagram.includes(LABEL)) return false
  const counts = [4, 6, 8, 10].map((at) => datagram.readUInt16BE(at))
  return counts.reduce((sum, count) => sum + count) <= MAX_RECORDS
}

/** @returns whether a query asks for our service, or for this listener by its name */
export function isQueryFor(query: QueryPacket, key: string): boolean {
  return (query.questions ?? []).some(({ name }) => name === SERVICE || name === instanceOf(key))
}

/**
 * All records of a listener, so that one answer is sufficient.
 * @param address IPv4, of the interface that the answer leaves by
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

/** @returns the port of this key's listener; undefined for other listeners, and for a goodbye */
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
