import { decodeHuffman, readHuffmanTable } from '#core/easytier/compression/zstd/huffman'
import { assert, suite } from '#support/runner/suite'
import { backwardFields, forwardFields } from './bitFields'

const test = suite('easytier: Huffman codes of zstd')

/** The example of RFC 8878, 4.2.1: weights 4, 3, 2, 0, 1, and 1 for the sixth symbol. */
const DESCRIPTION = Uint8Array.of(127 + 5, 0x43, 0x20, 0x10)
const { table } = readHuffmanTable(DESCRIPTION, 0)

test("the RFC's example has the codes that the RFC lists", () => {
  assert.is(table.bits, 4)
  assert.equal([...table.symbols], [4, 5, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0])
  assert.equal([...table.lengths], [4, 4, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1])
  assert.equal(readHuffmanTable(Uint8Array.of(9, ...DESCRIPTION, 9), 1), { table, end: 5 })
})

test('a description that is cut anywhere is refused', () => {
  for (let length = 0; length < DESCRIPTION.length; length++)
    assert.throws(() => readHuffmanTable(DESCRIPTION.subarray(0, length), 0), /truncated/)
})

test('codes have 11 bits at most, and the weights leave a power of two for the last symbol', () => {
  assert.is(readHuffmanTable(Uint8Array.of(128, 0xb0), 0).table.bits, 11)
  for (const weights of [0xc0, 0x00]) assert.throws(() => readHuffmanTable(Uint8Array.of(128, weights), 0))
  assert.throws(() => readHuffmanTable(Uint8Array.of(129, 0x31), 0), /bad Huffman weights/)
})

/** Accuracy 5; the weights 1 and 2 are equally frequent. State 0 stands for 1, and so does the one after it by a 1. */
const WEIGHTS = forwardFields([0, 4], [1, 5], [0, 2], [17, 5], [31, 5])

test('compressed weights end where no bits are left for the next one', () => {
  const read = (stream: Uint8Array) =>
    readHuffmanTable(Uint8Array.of(WEIGHTS.length + stream.length, ...WEIGHTS, ...stream), 0)
  const two = read(backwardFields([0, 5], [0, 5]))
  assert.equal([[...two.table.symbols], [...two.table.lengths], two.end], [[0, 1, 2, 2], [2, 2, 1, 1], 6])
  const three = read(backwardFields([0, 5], [0, 5], [1, 1]))
  assert.equal(
    [[...three.table.symbols], [...three.table.lengths]],
    [
      [0, 1, 2, 3],
      [2, 2, 2, 2],
    ],
  )
})

test('compressed weights without a stream, or without an end, are refused', () => {
  assert.throws(() => readHuffmanTable(Uint8Array.of(WEIGHTS.length, ...WEIGHTS), 0), /weights are truncated/)
  const allOnes = forwardFields([0, 4], [1, 5], [0, 2], [63, 6])
  const endless = Uint8Array.of(5, ...allOnes, ...backwardFields([0, 5], [0, 5]))
  assert.throws(() => readHuffmanTable(endless, 0), /too many Huffman weights/)
})

test('a stream gives exactly as many symbols as it holds', () => {
  const stream = backwardFields([1, 1], [0b01, 2], [0b0001, 4], [0b001, 3])
  const decoded = (size: number) => {
    const out = new Uint8Array(size)
    decodeHuffman(table, stream, out)
    return [...out]
  }
  assert.equal(decoded(4), [0, 1, 5, 2])
  assert.throws(() => decoded(3), /come out even/)
  assert.throws(() => decoded(5), /come out even/)
})
