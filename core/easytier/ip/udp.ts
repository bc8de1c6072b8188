import { viewOf } from '@lantern-room/base/bytes'
import { addWords, encodeIpv4, type Ipv4Header, type Ipv4Packet } from './ipv4'

export type UdpDatagram = {
  readonly sourcePort: number
  readonly targetPort: number
  /** A view, not a copy. */
  readonly data: Uint8Array
}

/** In the header of IPv4. */
const PROTOCOL = 17
const UDP_HEADER_SIZE = 8
/** The largest payload that fits into an IPv4 packet. */
export const MAX_UDP_DATA = 65_507

/** The id is a new one for each datagram. */
type UdpTarget = Omit<Ipv4Header, 'protocol'> & Omit<UdpDatagram, 'data'>

/**
 * A datagram as IPv4 packets: one, or the fragments of one.
 * @throws RangeError when there are more than 65,507 bytes
 */
export function encodeUdp(to: UdpTarget, data: Uint8Array, fragmentSize?: number): Uint8Array[] {
  if (data.length > MAX_UDP_DATA) throw new RangeError(`a datagram of ${data.length} bytes`)
  const udp = new Uint8Array(UDP_HEADER_SIZE + data.length)
  const view = viewOf(udp)
  view.setUint16(0, to.sourcePort)
  view.setUint16(2, to.targetPort)
  view.setUint16(4, udp.length)
  udp.set(data, UDP_HEADER_SIZE)
  const sum = addWords(view, pseudoHeaderSum(to.source, to.target, udp.length))
  // Zero would mean that there is no checksum.
  view.setUint16(6, ~sum & 0xffff || 0xffff)
  return encodeIpv4({ ...to, protocol: PROTOCOL }, udp, fragmentSize)
}

/**
 * Reads the datagram of a whole packet.
 * @returns undefined when it is a fragment, not UDP, truncated, or its checksum is wrong
 */
export function decodeUdp(packet: Ipv4Packet): UdpDatagram | undefined {
  const { payload, source, target, protocol } = packet
  if (protocol !== PROTOCOL || packet.offset !== 0 || packet.hasMore) return undefined
  if (payload.length < UDP_HEADER_SIZE) return undefined
  const view = viewOf(payload)
  const length = view.getUint16(4)
  if (length < UDP_HEADER_SIZE || length > payload.length) return undefined
  const hasChecksum = view.getUint16(6) !== 0
  const sum = addWords(view, pseudoHeaderSum(source, target, length), 0, length)
  if (hasChecksum && sum !== 0xffff) return undefined
  return {
    sourcePort: view.getUint16(0),
    targetPort: view.getUint16(2),
    data: payload.subarray(UDP_HEADER_SIZE, length),
  }
}

/** The sum of the pseudo header (addresses, protocol, length), with which the checksum begins. */
function pseudoHeaderSum(source: number, target: number, length: number): number {
  const words = (address: number) => (address >>> 16) + (address & 0xffff)
  return words(source) + words(target) + PROTOCOL + length
}
