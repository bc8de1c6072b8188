import { type BackwardBits, BadZstd, forwardBits, highestBit } from './bits'

/** A table of states: each has a symbol, and the number of bits that select the next state. */
export type FseTable = {
  readonly accuracy: number
  readonly symbols: Uint8Array
  readonly bits: Uint8Array
  readonly bases: Uint16Array
}

export type FseState = {
  symbol(): number
  /** How many bits `advance` reads. */
  cost(): number
  advance(): void
}

/** Reads the first state; every `advance` reads the next one. */
export function startState(table: FseTable, stream: BackwardBits): FseState {
  let state = stream.read(table.accuracy)
  return {
    symbol: () => table.symbols[state] ?? 0,
    cost: () => table.bits[state] ?? 0,
    advance() {
      state = (table.bases[state] ?? 0) + stream.read(table.bits[state] ?? 0)
    },
  }
}

/** A single state without bits: every symbol is the same. */
export function repeatingTable(symbol: number): FseTable {
  return {
    accuracy: 0,
    symbols: Uint8Array.of(symbol),
    bits: new Uint8Array(1),
    bases: new Uint16Array(1),
  }
}

/**
 * Reads the description of a table.
 * @returns the table and where its description ends
 * @see RFC 8878, 4.1.1
 */
export function readTable(
  bytes: Uint8Array,
  start: number,
  limits: { readonly accuracy: number; readonly symbols: number },
): { readonly table: FseTable; readonly end: number } {
  const stream = forwardBits(bytes, start)
  const accuracy = stream.read(4) + 5
  if (accuracy > limits.accuracy) throw new BadZstd('a table is too fine')
  const frequencies: number[] = []
  let left = 1 << accuracy
  while (left > 0) {
    const frequency = readFrequency(stream, left)
    frequencies.push(frequency)
    left -= Math.abs(frequency)
    if (frequency === 0) addZeros(stream, frequencies, limits.symbols)
    if (frequencies.length > limits.symbols) throw new BadZstd('a table has too many symbols')
  }
  return { table: buildTable(accuracy, frequencies), end: stream.end() }
}

/** The remaining sum bounds the value, so that small values take one bit less. */
function readFrequency(stream: ReturnType<typeof forwardBits>, left: number): number {
  const bits = highestBit(left + 1) + 1
  const value = stream.read(bits)
  const lowMask = (1 << (bits - 1)) - 1
  const threshold = (1 << bits) - 1 - (left + 1)
  if ((value & lowMask) < threshold) {
    stream.unread(1)
    return (value & lowMask) - 1
  }
  return (value > lowMask ? value - threshold : value) - 1
}

/** After a frequency of zero, two bits say how many more zeros follow; three means three, and two more bits. */
function addZeros(stream: ReturnType<typeof forwardBits>, frequencies: number[], limit: number): void {
  for (;;) {
    const more = stream.read(2)
    for (let i = 0; i < more; i++) frequencies.push(0)
    if (more < 3 || frequencies.length > limit) return
  }
}

/** @param frequencies of each symbol, with the sum 2^accuracy; −1 = less than one state, which counts as one */
export function buildTable(accuracy: number, frequencies: readonly number[]): FseTable {
  const size = 1 << accuracy
  const table = {
    accuracy,
    symbols: new Uint8Array(size),
    bits: new Uint8Array(size),
    bases: new Uint16Array(size),
  }
  spreadSymbols(table.symbols, frequencies)
  const next = frequencies.map((frequency) => Math.abs(frequency))
  for (let state = 0; state < size; state++) {
    const symbol = table.symbols[state] ?? 0
    const value = next[symbol] ?? 0
    next[symbol] = value + 1
    const bits = accuracy - highestBit(value)
    table.bits[state] = bits
    table.bases[state] = (value << bits) - size
  }
  return table
}

function spreadSymbols(symbols: Uint8Array, frequencies: readonly number[]): void {
  const size = symbols.length
  const step = (size >> 1) + (size >> 3) + 3
  let top = size
  frequencies.forEach((frequency, symbol) => {
    if (frequency === -1) symbols[--top] = symbol
  })
  let at = 0
  frequencies.forEach((frequency, symbol) => {
    for (let i = 0; i < frequency; i++) {
      symbols[at] = symbol
      do at = (at + step) & (size - 1)
      while (at >= top)
    }
  })
  if (at !== 0) throw new BadZstd('a table does not come out even')
}
