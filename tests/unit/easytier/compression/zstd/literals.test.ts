import { readHuffmanTable } from '#core/easytier/compression/zstd/huffman'
import { readLiterals } from '#core/easytier/compression/zstd/literals'
import { unhex } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: literals of zstd')

const LIMIT = 1000
/** Codes 1, 01, 001 for the symbols 0, 1, 2; then 0000 and 0001. */
const DESCRIPTION = '84432010'
const { table } = readHuffmanTable(unhex(DESCRIPTION), 0)

/** What stands in a block for which literals; each is followed by a byte that is not theirs. */
const CASES: readonly (readonly [name: string, block: string, literals: readonly number[]])[] = [
  ['stored, header of 5 bits', '10 0708', [7, 8]],
  ['stored, odd size', '18 070809', [7, 8, 9]],
  ['stored, header of 12 bits', '3400 070809', [7, 8, 9]],
  ['stored, header of 20 bits', '3c0000 070809', [7, 8, 9]],
  ['stored, none', '00', []],
  ['repeated, header of 5 bits', '19 07', [7, 7, 7]],
  ['repeated, header of 12 bits', '0510 07', Array<number>(256).fill(7)],
  ['repeated, header of 20 bits', '3d0000 07', [7, 7, 7]],
  ['coded, with a table', `428001 ${DESCRIPTION} 8906`, [0, 1, 5, 2]],
  ['coded by the earlier table', '438000 8906', [0, 1, 5, 2]],
  ['four streams, sizes of 10 bits', '878002 010001000100 0d0d0d0d', [0, 1, 0, 1, 0, 1, 0, 1]],
  ['four streams, sizes of 14 bits', '8b002800 010001000100 0d0d0d0d', [0, 1, 0, 1, 0, 1, 0, 1]],
  ['four streams, sizes of 18 bits', '8f00800200 010001000100 0d0d0d0d', [0, 1, 0, 1, 0, 1, 0, 1]],
]
for (const [name, hex, literals] of CASES)
  test(`literals are read to their end, and to no limit below their number: ${name}`, () => {
    const section = unhex(hex.replaceAll(' ', ''))
    const read = readLiterals(Uint8Array.of(...section, 0xee), table, literals.length)
    assert.equal([...read.bytes], literals)
    assert.is(read.end, section.length)
    assert.equal(read.table, table)
    if (literals.length > 0)
      assert.throws(() => readLiterals(section, table, literals.length - 1), /too long/)
    for (let length = 0; length < section.length; length++)
      assert.throws(() => readLiterals(section.subarray(0, length), table, LIMIT), /truncated/)
  })

test('a table is passed on to later blocks, and has to be there where it is reused', () => {
  assert.is(readLiterals(unhex('100708'), undefined, LIMIT).table, undefined)
  assert.equal(readLiterals(unhex(`428001${DESCRIPTION}8906`), undefined, LIMIT).table, table)
  assert.throws(() => readLiterals(unhex('4380008906'), undefined, LIMIT), /no earlier Huffman table/)
})

test('four streams need a byte each, within the section', () => {
  for (const section of [
    '878002 000001000100 0d0d0d0d',
    '878002 0100ffff0100 0d0d0d0d',
    '874002 010001000100 0d0d0d',
  ])
    assert.throws(() => readLiterals(unhex(section.replaceAll(' ', '')), table, LIMIT), /stream is truncated/)
})
