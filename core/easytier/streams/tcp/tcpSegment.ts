import { viewOf } from '#core/bytes'
import { addWords, pseudoHeaderSum } from '#core/easytier/ip/checksum'
import { ipProtocols } from '#core/easytier/ip/ipv4'

export const tcpFlags = { fin: 1, syn: 2, rst: 4, psh: 8, ack: 16 } as const

export type TcpSegment = {
  readonly sourcePort: number
  readonly targetPort: number
  readonly sequence: number
  readonly acknowledged: number
  /** Sum of `tcpFlags`. */
  readonly flags: number
  /** As on the wire: with a scale agreed on, in units of 2^scale bytes. */
  readonly window: number
  /** Options of a SYN; others are skipped. */
  readonly maxSegment?: number | undefined
  readonly windowScale?: number | undefined
  readonly data: Uint8Array
}

/** Addresses of the IPv4 packet around it, which the checksum covers. */
export type IpEnds = { readonly source: number; readonly target: number }

const HEADER_SIZE = 20
const OPTION = { end: 0, nothing: 1, maxSegment: 2, windowScale: 3 } as const
/** RFC 7323, 2.3 */
const MOST_SCALE = 14

/**
 * @param bytes payload of a whole IPv4 packet
 * @param ends its addresses
 * @returns undefined when it is cut, or its checksum is wrong
 * @see RFC 9293, 3.1
 */
export function decodeTcp(bytes: Uint8Array, ends: IpEnds): TcpSegment | undefined {
  if (bytes.length < HEADER_SIZE) return undefined
  const view = viewOf(bytes)
  const headerSize = (view.getUint8(12) >> 4) * 4
  if (headerSize < HEADER_SIZE || headerSize > bytes.length) return undefined
  if (checksumOf(bytes, ends) !== 0) return undefined
  return {
    sourcePort: view.getUint16(0),
    targetPort: view.getUint16(2),
    sequence: view.getUint32(4),
    acknowledged: view.getUint32(8),
    flags: view.getUint8(13),
    window: view.getUint16(14),
    ...readOptions(bytes.subarray(HEADER_SIZE, headerSize)),
    data: bytes.subarray(headerSize),
  }
}

export function encodeTcp(segment: TcpSegment, ends: IpEnds): Uint8Array {
  const options = writeOptions(segment)
  const headerSize = HEADER_SIZE + options.length
  const bytes = new Uint8Array(headerSize + segment.data.length)
  const view = viewOf(bytes)
  view.setUint16(0, segment.sourcePort)
  view.setUint16(2, segment.targetPort)
  view.setUint32(4, segment.sequence)
  view.setUint32(8, segment.acknowledged)
  view.setUint8(12, (headerSize / 4) << 4)
  view.setUint8(13, segment.flags)
  view.setUint16(14, segment.window)
  bytes.set(options, HEADER_SIZE)
  bytes.set(segment.data, headerSize)
  view.setUint16(16, checksumOf(bytes, ends))
  return bytes
}

/** 0 over a segment with the right checksum in it. */
function checksumOf(bytes: Uint8Array, { source, target }: IpEnds): number {
  return ~addWords(bytes, pseudoHeaderSum(source, target, ipProtocols.tcp, bytes.length)) & 0xffff
}

function readOptions(options: Uint8Array): Pick<TcpSegment, 'maxSegment' | 'windowScale'> {
  const view = viewOf(options)
  let maxSegment: number | undefined
  let windowScale: number | undefined
  for (let at = 0; at < options.length; ) {
    const kind = view.getUint8(at)
    if (kind === OPTION.end) break
    if (kind === OPTION.nothing) {
      at += 1
      continue
    }
    const size = at + 1 < options.length ? view.getUint8(at + 1) : 0
    if (size < 2 || at + size > options.length) break
    if (kind === OPTION.maxSegment && size === 4) maxSegment = view.getUint16(at + 2)
    if (kind === OPTION.windowScale && size === 3) windowScale = Math.min(view.getUint8(at + 2), MOST_SCALE)
    at += size
  }
  return { maxSegment, windowScale }
}

function writeOptions({ maxSegment, windowScale }: TcpSegment): Uint8Array {
  const options: number[] = []
  if (maxSegment !== undefined) options.push(OPTION.maxSegment, 4, maxSegment >> 8, maxSegment & 0xff)
  if (windowScale !== undefined) options.push(OPTION.nothing, OPTION.windowScale, 3, windowScale)
  return Uint8Array.from(options)
}
