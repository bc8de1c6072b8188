import * as zlib from 'node:zlib'
import { ZSTDDecoder } from 'zstddec'
import { viewOf } from '#core/bytes'

/**
 * Decompresses one zstd frame.
 * @param limit maximum size of the output; a frame that declares more is refused before anything is allocated for it
 * @returns undefined for anything but one whole frame within the limit, and for an empty one
 */
export type DecodeZstd = (bytes: Uint8Array, limit: number) => Uint8Array | undefined

/** The zstd functions of Node, from 22.15 on. */
export type NativeZstd = (
  bytes: Uint8Array,
  options: {
    readonly info: true
    readonly maxOutputLength: number
    readonly params: Readonly<Record<number, number>>
  },
) => {
  readonly buffer: Uint8Array
  /** How many bytes were read. */
  readonly engine: { readonly bytesWritten: number }
}

const MAGIC = 0xfd2fb528
/** `ZSTD_d_windowLogMax`. What compressors use by default is at most 2 MiB (2^21). */
const WINDOW_LOG_MAX = 100
const MAX_WINDOW_LOG = 21

/** By Node's own decoder where it has one, else by WebAssembly, which is ready some milliseconds after the program's start. */
export const decodeZstd: DecodeZstd = zstdDecoder(
  (zlib as { readonly zstdDecompressSync?: NativeZstd }).zstdDecompressSync,
)

/**
 * Both decoders are the reference implementation, whose memory and time are bounded by the size of its output.
 * @see docs/decisions.md, D64
 */
export function zstdDecoder(native: NativeZstd | undefined): DecodeZstd {
  const decode = native ? nativeDecode(native) : wasmDecode()
  return (bytes, limit) => {
    if (bytes.length < 6 || viewOf(bytes).getUint32(0, true) !== MAGIC) return undefined
    const declared = contentSizeOf(bytes)
    const size = declared ?? limit
    if (size === 0 || size > limit) return undefined
    try {
      const plain = decode(bytes, size)
      return plain.length === (declared ?? plain.length) && plain.length > 0 ? plain : undefined
    } catch {
      return undefined
    }
  }
}

/** Empty, or throws, when it does not open. */
type Decode = (bytes: Uint8Array, maxSize: number) => Uint8Array

const NOTHING = new Uint8Array()

function nativeDecode(decompress: NativeZstd): Decode {
  const params = { [WINDOW_LOG_MAX]: MAX_WINDOW_LOG }
  return (bytes, maxOutputLength) => {
    const { buffer, engine } = decompress(bytes, { info: true, maxOutputLength, params })
    // It reads one frame and ignores what follows.
    return engine.bytesWritten === bytes.length ? buffer : NOTHING
  }
}

function wasmDecode(): Decode {
  const decoder = new ZSTDDecoder()
  // Until then, and where there is no WebAssembly, nothing opens.
  decoder.init().catch(() => undefined)
  return (bytes, maxSize) => decoder.decode(bytes, maxSize)
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
