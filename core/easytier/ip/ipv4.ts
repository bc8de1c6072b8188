import { viewOf } from '@lantern-room/base/bytes'
import { MAX_PATH_PAYLOAD } from '../wire/packet'

/** IPv4 packets, which travel whole inside packets of the network. */

const IPV4_HEADER_SIZE = 20

/** Addresses are big-endian numbers. */
export type Ipv4Header = {
  readonly source: number
  readonly target: number
  readonly protocol: number
  /** All fragments of one packet share this number. */
  readonly id: number
}

export type Ipv4Packet = Ipv4Header & {
  /** Offset in the whole payload, in bytes. The packet is a fragment if this is not 0 or `hasMore` is true. */
  readonly offset: number
  readonly hasMore: boolean
  /** A view, not a copy; bytes beyond the packet's own length are left out. */
  readonly payload: Uint8Array
}

const MORE_FRAGMENTS = 0x2000
const OFFSET_MASK = 0x1fff
const DEFAULT_TIME_TO_LIVE = 64
/** Maximum payload of our fragments: a multiple of 8. Real nodes send 1280, which needs a path of 1,400 bytes. */
const MAX_FRAGMENT_PAYLOAD = fragmentSizeFor(MAX_PATH_PAYLOAD)
/** For members that take the first fragment of a datagram only. */
export const LARGE_FRAGMENT_PAYLOAD = 1280

/** The payload of the fragments whose packets do not exceed a size, in bytes. */
export function fragmentSizeFor(packetSize: number): number {
  return (packetSize - IPV4_HEADER_SIZE) & ~7
}

/**
 * One packet, or its fragments.
 * @param fragmentSize bytes of payload in each but the last, rounded down to a multiple of 8
 */
export function encodeIpv4(
  header: Ipv4Header,
  payload: Uint8Array,
  fragmentSize = MAX_FRAGMENT_PAYLOAD,
): Uint8Array[] {
  const step = Math.max(8, fragmentSize & ~7)
  if (payload.length <= step) return [encodeFragment(header, payload, 0, false)]
  return Array.from({ length: Math.ceil(payload.length / step) }, (_, i) => {
    const end = (i + 1) * step
    return encodeFragment(header, payload.subarray(i * step, end), i * step, end < payload.length)
  })
}

/** @returns undefined when it is not IPv4, truncated, or its header checksum is wrong. Options are skipped. */
export function decodeIpv4(bytes: Uint8Array): Ipv4Packet | undefined {
  if (bytes.length < IPV4_HEADER_SIZE) return undefined
  const view = viewOf(bytes)
  const headerSize = (view.getUint8(0) & 15) * 4
  const totalLength = view.getUint16(2)
  if (view.getUint8(0) >> 4 !== 4 || headerSize < IPV4_HEADER_SIZE) return undefined
  if (totalLength < headerSize || totalLength > bytes.length) return undefined
  if (addWords(view, 0, 0, headerSize) !== 0xffff) return undefined
  const fragment = view.getUint16(6)
  return {
    source: view.getUint32(12),
    target: view.getUint32(16),
    protocol: view.getUint8(9),
    id: view.getUint16(4),
    offset: (fragment & OFFSET_MASK) * 8,
    hasMore: (fragment & MORE_FRAGMENTS) !== 0,
    payload: bytes.subarray(headerSize, totalLength),
  }
}

function encodeFragment(
  header: Ipv4Header,
  payload: Uint8Array,
  offset: number,
  hasMore: boolean,
): Uint8Array {
  const packet = new Uint8Array(IPV4_HEADER_SIZE + payload.length)
  const view = viewOf(packet)
  view.setUint8(0, 0x45)
  view.setUint16(2, packet.length)
  view.setUint16(4, header.id)
  view.setUint16(6, (offset >> 3) | (hasMore ? MORE_FRAGMENTS : 0))
  view.setUint8(8, DEFAULT_TIME_TO_LIVE)
  view.setUint8(9, header.protocol)
  view.setUint32(12, header.source)
  view.setUint32(16, header.target)
  view.setUint16(10, ~addWords(view, 0, 0, IPV4_HEADER_SIZE))
  packet.set(payload, IPV4_HEADER_SIZE)
  return packet
}

/**
 * Adds 16-bit big-endian words in one's complement, as all checksums of IP do.
 * @param sum of the previous parts; parts other than the last must have an even length
 * @returns 16 bits, not yet inverted
 */
export function addWords(bytes: DataView, sum = 0, start = 0, end = bytes.byteLength): number {
  let total = sum
  let at = start
  for (; at + 1 < end; at += 2) total += bytes.getUint16(at)
  if (at < end) total += bytes.getUint8(at) << 8
  while (total > 0xffff) total = (total & 0xffff) + Math.floor(total / 0x10000)
  return total
}
