import { BadZstd } from './bits'
import { decodeHuffman, type HuffmanTable, readHuffmanTable } from './huffman'

export type Literals = {
  readonly bytes: Uint8Array
  /** Where the section ends in the block. */
  readonly end: number
  /** For a later block that reuses the table. */
  readonly table: HuffmanTable | undefined
}

/**
 * The literals of a block.
 * @param limit maximum number of bytes
 * @see RFC 8878, 3.1.1.3.1
 */
export function readLiterals(block: Uint8Array, earlier: HuffmanTable | undefined, limit: number): Literals {
  const type = (block[0] ?? 0) & 3
  return type < 2
    ? readStored(block, type === 1, earlier, limit)
    : readCoded(block, type === 3, earlier, limit)
}

function readStored(
  block: Uint8Array,
  isRepeated: boolean,
  table: HuffmanTable | undefined,
  limit: number,
): Literals {
  const format = ((block[0] ?? 0) >> 2) & 3
  const headerSize = format === 1 ? 2 : format === 3 ? 3 : 1
  const size = littleEndian(block, headerSize) >> (headerSize === 1 ? 3 : 4)
  const end = headerSize + (isRepeated ? 1 : size)
  if (size > limit || end > block.length) throw new BadZstd('literals are truncated or too long')
  const stored = block.subarray(headerSize, end)
  return { bytes: isRepeated ? new Uint8Array(size).fill(stored[0] ?? 0) : stored, end, table }
}

function readCoded(
  block: Uint8Array,
  isOldTable: boolean,
  earlier: HuffmanTable | undefined,
  limit: number,
): Literals {
  const format = ((block[0] ?? 0) >> 2) & 3
  const headerSize = format < 2 ? 3 : format + 2
  const sizeBits = format < 2 ? 10 : format === 2 ? 14 : 18
  // Up to 40 bits, more than bitwise operators can hold.
  const sizes = Math.floor(littleEndian(block, headerSize) / 16)
  const size = sizes % 2 ** sizeBits
  const end = headerSize + Math.floor(sizes / 2 ** sizeBits)
  if (size > limit || end > block.length) throw new BadZstd('literals are truncated or too long')

  const coded = block.subarray(0, end)
  const read = isOldTable ? { table: earlier, end: headerSize } : readHuffmanTable(coded, headerSize)
  if (read.table === undefined) throw new BadZstd('there is no earlier Huffman table')
  const bytes = new Uint8Array(size)
  const streams = coded.subarray(read.end)
  if (format === 0) decodeHuffman(read.table, streams, bytes)
  else decodeFourStreams(read.table, streams, bytes)
  return { bytes, end, table: read.table }
}

/** Three lengths of 16 bits, then four streams, each for a quarter of the bytes. */
function decodeFourStreams(table: HuffmanTable, streams: Uint8Array, out: Uint8Array): void {
  const quarter = (out.length + 3) >> 2
  let at = 6
  for (let i = 0; i < 4; i++) {
    const size = i < 3 ? littleEndian(streams.subarray(i * 2), 2) : streams.length - at
    if (size <= 0 || at + size > streams.length || quarter * i > out.length)
      throw new BadZstd('a Huffman stream is truncated')
    decodeHuffman(
      table,
      streams.subarray(at, at + size),
      out.subarray(quarter * i, i < 3 ? quarter * (i + 1) : out.length),
    )
    at += size
  }
}

/** Without bitwise operators, which are limited to 32 bits. */
function littleEndian(bytes: Uint8Array, count: number): number {
  if (count > bytes.length) throw new BadZstd('a header is truncated')
  let value = 0
  for (let i = count - 1; i >= 0; i--) value = value * 256 + (bytes[i] ?? 0)
  return value
}
