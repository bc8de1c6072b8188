import { viewOf } from '@lantern-room/base/bytes'
import { ZSTDDecoder } from 'zstddec'

const MAGIC = 0xfd2fb528

const decoder = new ZSTDDecoder()
// It is ready some milliseconds after the program's start. Until then, and where there is no WebAssembly, nothing opens.
decoder.init().catch(() => undefined)

/**
 * Decompresses one zstd frame, by the reference implementation, whose memory and time are bounded by the size of its output.
 * @param limit maximum size of the output; a frame that declares more is refused before anything is allocated for it
 * @returns undefined for anything but one whole frame within the limit, and for an empty one
 * @see docs/decisions.md, D64
 */
export function decodeZstd(bytes: Uint8Array, limit: number): Uint8Array | undefined {
  if (bytes.length < 6 || viewOf(bytes).getUint32(0, true) !== MAGIC) return undefined
  const declared = contentSizeOf(bytes)
  const size = declared ?? limit
  if (size === 0 || size > limit) return undefined
  try {
    const plain = decoder.decode(bytes, size)
    return plain.length === (declared ?? plain.length) && plain.length > 0 ? plain : undefined
  } catch {
    return undefined
  }
}

/** @returns undefined when the frame does not declare it @see RFC 8878, 3.1.1.1 */
function contentSizeOf(bytes: Uint8Array): number | undefined {
  const flags = viewOf(bytes).getUint8(4)
  const isSingleSegment = (flags & 32) !== 0
  const sizeCode = flags >> 6
  const sizeBytes = sizeCode === 0 ? Number(isSingleSegment) : 2 ** sizeCode
  // 0, 1, 2 or 4.
  const dictionaryBytes = (1 << (flags & 3)) >> 1
  const start = (isSingleSegment ? 5 : 6) + dictionaryBytes
  if (sizeBytes === 0) return undefined
  // Up to 64 bits, so without bit operations.
  const size = bytes.subarray(start, start + sizeBytes).reduceRight((value, byte) => value * 256 + byte, 0)
  return sizeBytes === 2 ? size + 256 : size
}
