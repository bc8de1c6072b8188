import { BadZstd, backwardBits, highestBit } from './bits'
import { readTable, startState } from './fse'

/** Indexed by the next `bits` bits of a stream: the symbol, and the length of its code. */
export type HuffmanTable = {
  readonly bits: number
  readonly symbols: Uint8Array
  readonly lengths: Uint8Array
}

const MAX_BITS = 11

/** Reads the description of a table. @see RFC 8878, 4.2.1 */
export function readHuffmanTable(
  bytes: Uint8Array,
  start: number,
): { readonly table: HuffmanTable; readonly end: number } {
  const head = bytes[start]
  if (head === undefined) throw new BadZstd('a Huffman table is truncated')
  const isDirect = head >= 128
  const end = start + 1 + (isDirect ? (head - 126) >> 1 : head)
  if (end > bytes.length) throw new BadZstd('a Huffman table is truncated')
  const body = bytes.subarray(start + 1, end)
  return { table: buildHuffmanTable(isDirect ? directWeights(body, head - 127) : fseWeights(body)), end }
}

/** Fills `out` from one stream, all bits of which must be used. */
export function decodeHuffman(
  { bits, symbols, lengths }: HuffmanTable,
  stream: Uint8Array,
  out: Uint8Array,
): void {
  const source = backwardBits(stream)
  for (let i = 0; i < out.length; i++) {
    const code = source.peek(bits)
    out[i] = symbols[code] ?? 0
    source.skip(lengths[code] ?? 0)
    if (source.left < 0) break
  }
  if (source.left !== 0) throw new BadZstd('a Huffman stream does not come out even')
}

function directWeights(body: Uint8Array, count: number): number[] {
  return Array.from({ length: count }, (_, i) => ((body[i >> 1] ?? 0) >> (i & 1 ? 0 : 4)) & 15)
}

/** Two states alternate until the stream has no bits left for the next symbol. */
function fseWeights(body: Uint8Array): number[] {
  const { table, end } = readTable(body, 0, { accuracy: 6, symbols: 16 })
  if (end >= body.length) throw new BadZstd('Huffman weights are truncated')
  const stream = backwardBits(body.subarray(end))
  let state = startState(table, stream)
  let other = startState(table, stream)
  const weights: number[] = []
  while (weights.length < 255) {
    weights.push(state.symbol())
    if (state.cost() > stream.left) return [...weights, other.symbol()]
    state.advance()
    const swapped = state
    state = other
    other = swapped
  }
  throw new BadZstd('too many Huffman weights')
}

/** The last weight is implicit: it completes the sum to a power of two. */
function buildHuffmanTable(written: readonly number[]): HuffmanTable {
  const sum = written.reduce((total, weight) => total + (weight > 0 ? 2 ** (weight - 1) : 0), 0)
  if (sum === 0 || sum >= 2 ** MAX_BITS || written.length > 255) throw new BadZstd('bad Huffman weights')
  const bits = highestBit(sum) + 1
  const missing = 2 ** bits - sum
  const last = highestBit(missing) + 1
  if (2 ** (last - 1) !== missing) throw new BadZstd('bad Huffman weights')

  const weights = [...written, last]
  const symbols = new Uint8Array(2 ** bits)
  const lengths = new Uint8Array(2 ** bits)
  let at = 0
  for (let weight = 1; weight <= bits; weight++)
    weights.forEach((its, symbol) => {
      if (its !== weight) return
      for (const end = at + 2 ** (weight - 1); at < end; at++) {
        symbols[at] = symbol
        lengths[at] = bits + 1 - weight
      }
    })
  return { bits, symbols, lengths }
}
