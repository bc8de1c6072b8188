import { BadZstd, backwardBits } from './bits'
import { buildTable, type FseTable, readTable, repeatingTable, startState } from './fse'

/** Copy `literals` bytes of the literals, then `match` bytes from `offset` back (1–3: one of the last offsets). */
export type Sequence = { readonly literals: number; readonly match: number; readonly offset: number }

export type SequenceTables = {
  readonly literals: FseTable
  readonly offsets: FseTable
  readonly matches: FseTable
}

/** Encoding of one kind of number: its predefined table, and the values of its symbols. */
type Kind = { readonly table: FseTable; readonly accuracy: number; readonly symbols: number }

/**
 * Reads the sequences of a block and passes them on one by one. The caller bounds the output of each, so that a few
 * bytes cannot keep it busy.
 * @param section from the end of the literals to the end of the block
 * @returns the tables, for a later block that reuses them
 * @see RFC 8878, 3.1.1.3.2
 */
export function readSequences(
  section: Uint8Array,
  earlier: SequenceTables | undefined,
  onSequence: (sequence: Sequence) => void,
): SequenceTables | undefined {
  const { count, end } = readCount(section)
  if (count === 0) {
    if (end !== section.length) throw new BadZstd('bytes after the literals')
    return earlier
  }
  const { tables, at } = readTables(section, end, earlier)
  const stream = backwardBits(section.subarray(at))
  const literals = startState(tables.literals, stream)
  const offsets = startState(tables.offsets, stream)
  const matches = startState(tables.matches, stream)
  for (let i = 0; i < count; i++) {
    const offsetCode = offsets.symbol()
    // Larger than any output here, and more bits than one read returns.
    if (offsetCode > 24) throw new BadZstd('a distance is too far')
    const offset = 2 ** offsetCode + stream.read(offsetCode)
    const match = numberOf(matchCodes, matches.symbol(), stream.read)
    const literal = numberOf(literalCodes, literals.symbol(), stream.read)
    if (stream.left < 0) throw new BadZstd('the sequences are truncated')
    onSequence({ literals: literal, match, offset })
    if (i + 1 === count) break
    literals.advance()
    matches.advance()
    offsets.advance()
  }
  if (stream.left !== 0) throw new BadZstd('the sequences do not come out even')
  return tables
}

function readCount(section: Uint8Array): { readonly count: number; readonly end: number } {
  const [first, second = 0, third = 0] = section
  if (first === undefined) throw new BadZstd('the sequences are truncated')
  if (first < 128) return { count: first, end: 1 }
  return first < 255
    ? { count: ((first - 128) << 8) + second, end: 2 }
    : { count: second + (third << 8) + 0x7f00, end: 3 }
}

function readTables(section: Uint8Array, start: number, earlier: SequenceTables | undefined) {
  const modes = section[start]
  if (modes === undefined || (modes & 3) !== 0) throw new BadZstd('bad modes of tables')
  let at = start + 1
  const read = (kind: Kind, mode: number, old: FseTable | undefined): FseTable => {
    if (mode !== TABLE_MODES.described)
      return tableOf(kind, mode, old, mode === TABLE_MODES.single ? section[at++] : undefined)
    const described = readTable(section, at, kind)
    at = described.end
    return described.table
  }
  const literals = read(literalKind, modes >> 6, earlier?.literals)
  const offsets = read(offsetKind, (modes >> 4) & 3, earlier?.offsets)
  const matches = read(matchKind, (modes >> 2) & 3, earlier?.matches)
  return { tables: { literals, offsets, matches }, at }
}

const TABLE_MODES = { predefined: 0, single: 1, described: 2, repeated: 3 } as const

/** A table that is not described in the block. @param symbol the only symbol, in the mode `single` */
function tableOf(kind: Kind, mode: number, old: FseTable | undefined, symbol: number | undefined): FseTable {
  if (mode === TABLE_MODES.predefined) return kind.table
  if (mode === TABLE_MODES.single && symbol !== undefined && symbol < kind.symbols)
    return repeatingTable(symbol)
  if (mode === TABLE_MODES.repeated && old !== undefined) return old
  throw new BadZstd('bad table')
}

/** By symbol: the least value, and how many bits are added to it. */
type Codes = { readonly bases: Uint32Array; readonly bits: Uint8Array }

function numberOf({ bases, bits }: Codes, symbol: number, read: (count: number) => number): number {
  return (bases[symbol] ?? 0) + read(bits[symbol] ?? 0)
}

/** Each symbol's range begins where the previous one ends. */
function codesFrom(first: number, bits: readonly number[]): Codes {
  const bases = new Uint32Array(bits.length)
  let base = first
  bits.forEach((count, symbol) => {
    bases[symbol] = base
    base += 2 ** count
  })
  return { bases, bits: Uint8Array.from(bits) }
}

const zeros = (count: number) => new Array<number>(count).fill(0)
const literalCodes = codesFrom(0, [
  ...zeros(16),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
])
const matchCodes = codesFrom(3, [
  ...zeros(32),
  ...[1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
])

const ones = (count: number) => new Array<number>(count).fill(1)
const twos = (count: number) => new Array<number>(count).fill(2)
const rare = (count: number) => new Array<number>(count).fill(-1)
const literalKind: Kind = {
  table: buildTable(6, [4, 3, ...twos(11), 1, 1, 1, ...twos(9), 3, 2, ...ones(5), ...rare(4)]),
  accuracy: 9,
  symbols: 36,
}
const matchKind: Kind = {
  table: buildTable(6, [1, 4, 3, ...twos(6), ...ones(37), ...rare(7)]),
  accuracy: 9,
  symbols: 53,
}
const offsetKind: Kind = {
  table: buildTable(5, [...ones(6), 2, 2, 2, ...ones(15), ...rare(5)]),
  accuracy: 8,
  symbols: 32,
}
