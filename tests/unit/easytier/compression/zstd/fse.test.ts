import { backwardBits } from '#core/easytier/compression/zstd/bits'
import { buildTable, readTable, repeatingTable, startState } from '#core/easytier/compression/zstd/fse'
import { assert, suite } from '#support/runner/suite'
import { type BitField, backwardFields, forwardFields } from './bitFields'

const test = suite('easytier: FSE tables of zstd')

const LIMITS = { accuracy: 5, symbols: 7 }
/** Accuracy 5; frequencies 16, 0 and three zeros more, −1, 15. */
const FIELDS: readonly BitField[] = [
  [0, 4],
  [17, 5],
  [1, 4],
  [3, 2],
  [0, 2],
  [0, 4],
  [31, 5],
]
const DESCRIPTION = forwardFields(...FIELDS)

/** RFC 8878, appendix A.2: offset codes. */
const offsets = buildTable(5, [
  ...[1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
  ...[-1, -1, -1, -1, -1],
])

test('a table is built as the RFC lists it', () => {
  const { symbols, bits, bases } = offsets
  assert.equal(
    [...symbols],
    [
      ...[0, 6, 9, 15, 21, 3, 7, 12, 18, 23, 5, 8, 14, 20, 2, 7],
      ...[11, 17, 22, 4, 8, 13, 19, 1, 6, 10, 16, 28, 27, 26, 25, 24],
    ],
  )
  const short = [1, 6, 11, 15, 20, 24]
  const fewBits = Array.from(symbols, (_, state) => (short.includes(state) ? 4 : 5))
  assert.equal([...bits], fewBits)
  const lateBases = Array.from(symbols, (_, state) => (short.indexOf(state) > 2 ? 16 : 0))
  assert.equal([...bases], lateBases)
})

test('a description is read with its zeros and rare symbols, from where it begins to its last byte', () => {
  const expected = { table: buildTable(5, [16, 0, 0, 0, 0, -1, 15]), end: 5 }
  assert.equal(readTable(Uint8Array.of(0xff, ...DESCRIPTION, 0xff), 1, LIMITS), expected)
  assert.is(expected.table.symbols[31], 5, 'rare symbols have the last states')
})

test('a description that is cut anywhere is refused', () => {
  for (let length = 0; length < DESCRIPTION.length; length++)
    assert.throws(() => readTable(DESCRIPTION.subarray(0, length), 0, LIMITS), /truncated/)
})

test('a table that is finer, or has more symbols, than allowed is refused', () => {
  assert.throws(() => readTable(DESCRIPTION, 0, { ...LIMITS, symbols: 6 }), /too many symbols/)
  assert.throws(() => readTable(DESCRIPTION, 0, { ...LIMITS, symbols: 3 }), /too many symbols/)
  assert.throws(() => readTable(Uint8Array.of(1, 0, 0), 0, LIMITS), /too fine/)
  const endlessZeros = forwardFields([0, 4], [1, 5], ...Array<BitField>(40).fill([3, 2]))
  assert.throws(() => readTable(endlessZeros, 0, LIMITS), /too many symbols/)
})

test('frequencies that do not fill the table are refused', () => {
  assert.throws(() => buildTable(5, [5]), /come out even/)
})

test('a state has a symbol, and the stream chooses the next', () => {
  const stream = backwardBits(backwardFields([1, 5], [3, 4], [2, 5]))
  const state = startState(offsets, stream)
  assert.equal([state.symbol(), state.cost(), stream.left], [6, 4, 9])
  state.advance()
  assert.equal([state.symbol(), state.cost(), stream.left], [15, 5, 5])
  state.advance()
  assert.equal([state.symbol(), stream.left], [9, 0])
})

test('a repeating table needs no bits', () => {
  const stream = backwardBits(Uint8Array.of(1))
  const state = startState(repeatingTable(35), stream)
  state.advance()
  assert.equal([state.symbol(), state.cost(), stream.left], [35, 0, 0])
})
