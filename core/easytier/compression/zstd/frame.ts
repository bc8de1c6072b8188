import { viewOf } from '#core/bytes'
import { BadZstd } from './bits'
import type { HuffmanTable } from './huffman'
import { readLiterals } from './literals'
import { readSequences, type SequenceTables } from './sequences'

const MAGIC = 0xfd2fb528
/** Of one block, decompressed. */
const MAX_BLOCK_SIZE = 2 ** 17

/**
 * Decompresses one zstd frame. `limit` bounds memory and time for any input: common decoders trust the lengths of
 * matches and can be kept busy for seconds by a few hundred bytes.
 *
 * Checksums are not verified (a seal or a connection protects the bytes); dictionaries and skippable frames are
 * refused.
 * @param limit maximum size of the output; a frame that announces more is refused before anything is allocated for it
 * @returns undefined for anything but one whole frame within the limit
 * @see RFC 8878
 * @see docs/decisions.md, D64
 */
export function decodeZstd(bytes: Uint8Array, limit: number): Uint8Array | undefined {
  try {
    return decodeFrame(bytes, limit)
  } catch (error) {
    if (error instanceof BadZstd) return undefined
    throw error
  }
}

type Block = {
  readonly type: number
  readonly size: number
  readonly body: Uint8Array
  readonly isLast: boolean
}

/** State that a block leaves to the next. */
type Memory = {
  huffman: HuffmanTable | undefined
  tables: SequenceTables | undefined
  /** The last three offsets, newest first. */
  offsets: [number, number, number]
}

function decodeFrame(bytes: Uint8Array, limit: number): Uint8Array {
  const header = readFrameHeader(bytes)
  if ((header.contentSize ?? 0) > limit) throw new BadZstd('longer than allowed')
  const output = createOutput(limit, header.contentSize)
  const memory: Memory = { huffman: undefined, tables: undefined, offsets: [1, 4, 8] }
  let at = header.end
  for (let isLast = false; !isLast; ) {
    const block = readBlock(bytes, at)
    writeBlock(block, output, memory)
    at += 3 + block.body.length
    isLast = block.isLast
  }
  const plain = output.bytes()
  if (at + (header.hasChecksum ? 4 : 0) !== bytes.length) throw new BadZstd('bytes after the frame')
  if (plain.length !== (header.contentSize ?? plain.length)) throw new BadZstd('not the declared length')
  return plain
}

type FrameHeader = {
  /** Where the first block begins. */
  readonly end: number
  readonly contentSize: number | undefined
  readonly hasChecksum: boolean
}

function readFrameHeader(bytes: Uint8Array): FrameHeader {
  if (bytes.length < 6 || viewOf(bytes).getUint32(0, true) !== MAGIC) throw new BadZstd('no zstd frame')
  const flags = bytes[4] ?? 0
  const isSingleSegment = (flags & 32) !== 0
  if ((flags & 8) !== 0 || (flags & 3) !== 0) throw new BadZstd('a dictionary, or a bit that must be zero')
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][flags >> 6] ?? 0
  const sizeAt = isSingleSegment ? 5 : 6
  const end = sizeAt + sizeBytes
  if (end > bytes.length) throw new BadZstd('the header is truncated')
  const contentSize = sizeBytes === 0 ? undefined : readContentSize(bytes.subarray(sizeAt, end))
  return { end, contentSize, hasChecksum: (flags & 4) !== 0 }
}

/** Up to 64 bits, so without bit operations. A size of two bytes begins with 256. */
function readContentSize(bytes: Uint8Array): number {
  const size = bytes.reduceRight((value, byte) => value * 256 + byte, 0)
  return bytes.length === 2 ? size + 256 : size
}

function readBlock(bytes: Uint8Array, at: number): Block {
  const [first, second, third] = bytes.subarray(at, at + 3)
  if (first === undefined || second === undefined || third === undefined)
    throw new BadZstd('a block is truncated')
  const type = (first >> 1) & 3
  const size = (first >> 3) | (second << 5) | (third << 13)
  const end = at + 3 + (type === 1 ? 1 : size)
  if (type === 3 || size > MAX_BLOCK_SIZE || end > bytes.length)
    throw new BadZstd('a block is truncated or unknown')
  return { type, size, body: bytes.subarray(at + 3, end), isLast: (first & 1) === 1 }
}

function writeBlock({ type, size, body }: Block, output: Output, memory: Memory): void {
  if (type === 0) output.add(body, 0, body.length)
  else if (type === 1) output.repeat(body[0] ?? 0, size)
  else writeCompressed(body, output, memory)
}

function writeCompressed(body: Uint8Array, output: Output, memory: Memory): void {
  const literals = readLiterals(body, memory.huffman, output.room())
  memory.huffman = literals.table
  let used = 0
  memory.tables = readSequences(body.subarray(literals.end), memory.tables, (sequence) => {
    const end = used + sequence.literals
    if (end > literals.bytes.length) throw new BadZstd('more literals than there are')
    output.add(literals.bytes, used, end)
    used = end
    output.copy(distanceOf(sequence.offset, sequence.literals, memory), sequence.match)
  })
  output.add(literals.bytes, used, literals.bytes.length)
}

/**
 * The values 1 to 3 stand for one of the last offsets. Without literals the newest one would be pointless, so they
 * shift by one.
 */
function distanceOf(offset: number, literals: number, memory: Memory): number {
  const [first, second, third] = memory.offsets
  if (offset > 3) {
    memory.offsets = [offset - 3, first, second]
    return offset - 3
  }
  const place = literals === 0 ? offset + 1 : offset
  if (place === 1) return first
  if (place === 2) {
    memory.offsets = [second, first, third]
    return second
  }
  const distance = place === 3 ? third : first - 1
  memory.offsets = [distance, first, second]
  return distance
}

type Output = ReturnType<typeof createOutput>

/** @param expected size that the frame announces; without it the buffer grows as needed */
function createOutput(limit: number, expected: number | undefined) {
  let memory = new Uint8Array(expected ?? Math.min(limit, 4096))
  let length = 0

  const reserve = (count: number) => {
    const needed = length + count
    if (needed > Math.min(limit, expected ?? limit)) throw new BadZstd('longer than allowed')
    if (needed <= memory.length) return
    const larger = new Uint8Array(Math.min(limit, Math.max(needed, memory.length * 2)))
    larger.set(memory.subarray(0, length))
    memory = larger
  }
  return {
    room: () => Math.min(limit, expected ?? limit) - length,
    bytes: () => memory.subarray(0, length),
    /** Byte by byte: most parts have a few bytes, for which creating a view costs more than copying. */
    add(bytes: Uint8Array, start: number, end: number) {
      reserve(end - start)
      for (let i = start; i < end; i++) memory[length++] = bytes[i] ?? 0
    },
    repeat(byte: number, count: number) {
      reserve(count)
      memory.fill(byte, length, length + count)
      length += count
    },
    /** The areas may overlap: bytes just written are read again. */
    copy(distance: number, count: number) {
      if (distance < 1 || distance > length) throw new BadZstd('a distance is too far')
      reserve(count)
      for (let i = 0; i < count; i++) memory[length + i] = memory[length + i - distance] ?? 0
      length += count
    },
  }
}
