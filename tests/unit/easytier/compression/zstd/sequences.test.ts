import { readSequences, type Sequence, type SequenceTables } from '#core/easytier/compression/zstd/sequences'
import { assert, suite } from '#support/runner/suite'
import { type BitField, backwardFields } from './bitFields'

const test = suite('easytier: sequences of zstd')

function read(section: readonly number[], earlier?: SequenceTables) {
  const sequences: Sequence[] = []
  const tables = readSequences(Uint8Array.from(section), earlier, (sequence) => sequences.push(sequence))
  return { sequences, tables }
}

/** Two sequences by the predefined tables: the states of the first, its extra bits, the states of the second, its bits. */
const TWO: readonly BitField[] = [
  ...([
    [4, 6],
    [14, 5],
    [1, 6],
    [3, 2],
  ] as const),
  ...([
    [3, 5],
    [0, 4],
    [23, 5],
    [1, 1],
  ] as const),
]
const BOTH = [
  { literals: 4, match: 4, offset: 7 },
  { literals: 3, match: 3, offset: 3 },
]

test('sequences by the predefined tables, and again by tables that an earlier block had', () => {
  const { sequences, tables } = read([2, 0, ...backwardFields(...TWO)])
  assert.equal(sequences, BOTH)
  assert.equal(read([2, 0xfc, ...backwardFields(...TWO)], tables).sequences, BOTH)
  assert.equal(read([0x80, 2, 0, ...backwardFields(...TWO)]).sequences, BOTH, 'a count of two bytes')
})

test('without sequences nothing may follow, and the tables of earlier blocks stay', () => {
  const { tables } = read([2, 0, ...backwardFields(...TWO)])
  assert.ok(tables)
  assert.equal(read([0], tables), { sequences: [], tables })
  assert.is(read([0]).tables, undefined)
  assert.throws(() => read([0, 1]), /bytes after the literals/)
})

test('a section that is cut anywhere, or has bits left over, is refused', () => {
  const section = [2, 0, ...backwardFields(...TWO)]
  for (let length = 0; length < section.length; length++) assert.throws(() => read(section.slice(0, length)))
  assert.throws(() => read([2, 0, ...backwardFields(...TWO.slice(0, -1))]), /sequences are truncated/)
  assert.throws(() => read([2, 0, ...backwardFields(...TWO, [0, 1])]), /come out even/)
})

/** One symbol each for literals, offset and match. */
const single = (literals: number, offset: number, match: number) => [0x54, literals, offset, match]

test('counts of one, two and three bytes', () => {
  const counted = (...count: number[]) => read([...count, ...single(5, 0, 0), 1]).sequences
  assert.equal(counted(1), [{ literals: 5, match: 3, offset: 1 }])
  assert.equal([counted(127).length, counted(254, 255).length], [127, 0x7eff])
  assert.is(counted(255, 2, 0).length, 0x7f02)
})

test('the largest values, and symbols beyond the last', () => {
  const bits = backwardFields([0xffffff, 24], [0xffff, 16], [0xfffe, 16])
  assert.equal(read([1, ...single(35, 24, 52), ...bits]).sequences, [
    { literals: 0x1fffe, match: 0x20002, offset: 0x1ffffff },
  ])
  assert.throws(() => read([1, ...single(0, 25, 0), ...bits]), /too far/)
  for (const [literals, offset, match] of [
    [36, 0, 0],
    [0, 32, 0],
    [0, 0, 53],
  ] as const)
    assert.throws(() => read([1, ...single(literals, offset, match), 1]), /bad table/)
})

test('a described table is read where it stands', () => {
  const allZeros = [0xf0, 0x03]
  const section = [1, 0x94, ...allZeros, 2, 0, ...backwardFields([9, 5], [1, 2])]
  assert.equal(read(section).sequences, [{ literals: 0, match: 3, offset: 5 }])
})

test('reserved modes, and tables that no earlier block had, are refused', () => {
  for (const modes of [1, 2, 3]) assert.throws(() => read([1, modes, 1]), /bad modes/)
  for (const modes of [0xc0, 0x30, 0x0c]) assert.throws(() => read([1, modes, 1]), /bad table/)
})
