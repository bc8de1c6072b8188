import { viewOf } from '#core/bytes'
import { addWords, ipProtocols, pseudoHeaderSum } from '#core/easytier/ip/ipv4'

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
const MAX_SCALE = 14

/**
 * @param bytes payload of a whole IPv4 packet
 * @param ends its addresses
 * @returns undefined when it is truncated, or its checksum is wrong
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

/** 0 for a segment that contains its correct checksum. */
function checksumOf(bytes: Uint8Array, { source, target }: IpEnds): number {
  return ~addWords(bytes, pseudoHeaderSum(source, target, ipProtocols.tcp, bytes.length)) & 0xffff
}

type TcpOptions = Pick<TcpSegment, 'maxSegment' | 'windowScale'>

function readOptions(options: Uint8Array): TcpOptions {
  const view = viewOf(options)
  const read: { -readonly [Name in keyof TcpOptions]: TcpOptions[Name] } = {
    maxSegment: undefined,
    windowScale: undefined,
  }
  let at = 0
  for (let size = optionSize(options, at); size > 0; at += size, size = optionSize(options, at)) {
    const kind = options[at]
    if (kind === OPTION.maxSegment && size === 4) read.maxSegment = view.getUint16(at + 2)
    if (kind === OPTION.windowScale && size === 3)
      read.windowScale = Math.min(view.getUint8(at + 2), MAX_SCALE)
  }
  return read
}

/** @returns 0 at the end of the options, and where they are malformed */
function optionSize(options: Uint8Array, at: number): number {
  const kind = options[at] ?? OPTION.end
  if (kind === OPTION.end) return 0
  if (kind === OPTION.nothing) return 1
  const size = options[at + 1] ?? 0
  return size < 2 || at + size > options.length ? 0 : size
}

function writeOptions({ maxSegment, windowScale }: TcpSegment): Uint8Array {
  const options: number[] = []
  if (maxSegment !== undefined) options.push(OPTION.maxSegment, 4, maxSegment >> 8, maxSegment & 0xff)
  if (windowScale !== undefined) options.push(OPTION.nothing, OPTION.windowScale, 3, windowScale)
  return Uint8Array.from(options)
}
