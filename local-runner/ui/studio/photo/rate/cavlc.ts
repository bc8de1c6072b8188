/** How many bits H.264's baseline profile takes for what it writes. @see ITU-T H.264, 9.1 and 9.2 */

/** By the number of levels, a digit of base 36 each. */
const lengths = (...rows: readonly string[]) =>
  rows.map((row) => Array.from(row, (digit) => Number.parseInt(digit, 36)))

/** Of the numbers of levels and of trailing ones, which are 0 to 3, for three contexts. */
const TOKENS = [
  lengths('1689abdddeeffgggg', '.2689abddeefffggg', '..3789abddeeffggg', '...56789abdeeffgg'),
  lengths('2667889bbcccdddee', '.2566789bbccddeee', '..366789bbccdddee', '...4456679bbcddde'),
  lengths('4666777788999aaaa', '.4555566788999aaa', '..455566778899aaa', '...44444567889aaa'),
]
const MANY_BITS = 6
const TOKENS_OF_MEANS = lengths('26666', '.1678', '..378', '...67')

/** Of the number of zeros before the last level, by that of levels. */
const ZEROS = lengths(
  ...['1334455667788999', '333334444556666', '43334433455656', '5344333434555', '444333334545'],
  ...[
    '65333333436',
    '6533323436',
    '645322336',
    '66422325',
    '5532224',
    '443313',
    '44213',
    '3312',
    '221',
    '11',
  ],
)
const ZEROS_OF_MEANS = lengths('1233', '122', '11')

/** Of the zeros before a level, by how many are left. */
const RUNS = lengths('11', '122', '2222', '22233', '223333', '2333333', '3333333456789ab')

/** For the means of a plane of chroma, as a context. */
export const MEANS = -1

/** Of one block: its levels from the last one on, and the zeros before each. */
const found = new Int32Array(16)
const runs = new Int32Array(16)

/**
 * @param levels in the order in which they are written. @param length how many places there are
 * @param context about how many levels the blocks beside it have
 */
export function bitsOfLevels(levels: Int32Array, length: number, context: number): number {
  const count = find(levels, length)
  if (count === 0) return tokenBits(0, 0, context)
  let ones = 0
  while (ones < Math.min(3, count) && Math.abs(found[ones] ?? 0) === 1) ones += 1
  let zeros = 0
  for (let at = 0; at < count; at += 1) zeros += runs[at] ?? 0
  const zerosBits =
    count === length ? 0 : ((context === MEANS ? ZEROS_OF_MEANS : ZEROS)[count - 1]?.[zeros] ?? 0)
  return tokenBits(count, ones, context) + ones + valueBits(count, ones) + zerosBits + runBits(count, zeros)
}

function find(levels: Int32Array, length: number): number {
  let count = 0
  for (let place = length - 1; place >= 0; place -= 1) {
    const level = levels[place] ?? 0
    if (level !== 0) {
      found[count] = level
      runs[count] = 0
      count += 1
    } else if (count > 0) runs[count - 1] = (runs[count - 1] ?? 0) + 1
  }
  return count
}

/** Of the levels behind the trailing ones. */
function valueBits(count: number, ones: number): number {
  let bits = 0
  let suffix = count > 10 && ones < 3 ? 1 : 0
  for (let at = ones; at < count; at += 1) {
    const level = found[at] ?? 0
    const size = Math.abs(level)
    // The first one is more than 1, or it would be one of the trailing ones.
    bits += levelBits(2 * size - (level > 0 ? 2 : 1) - (at === ones && ones < 3 ? 2 : 0), suffix)
    suffix = Math.max(1, suffix)
    if (size > 3 << (suffix - 1) && suffix < 6) suffix += 1
  }
  return bits
}

function runBits(count: number, zeros: number): number {
  let [bits, left] = [0, zeros]
  for (let at = 0; at < count - 1 && left > 0; at += 1) {
    const run = runs[at] ?? 0
    bits += RUNS[Math.min(left, 7) - 1]?.[run] ?? 0
    left -= run
  }
  return bits
}

function tokenBits(count: number, ones: number, context: number): number {
  if (context === MEANS) return TOKENS_OF_MEANS[ones]?.[count] ?? 0
  return context >= 8 ? MANY_BITS : (TOKENS[context < 2 ? 0 : context < 4 ? 1 : 2]?.[ones]?.[count] ?? 0)
}

function levelBits(code: number, suffix: number): number {
  if (suffix === 0) return code < 14 ? code + 1 : code < 30 ? 19 : 28
  return code < 15 << suffix ? (code >> suffix) + 1 + suffix : 28
}

/** Of a number from 0 on. */
export function bitsOfCount(value: number): number {
  return 2 * (31 - Math.clz32(value + 1)) + 1
}

/** Of one of either sign. */
export function bitsOfSigned(value: number): number {
  return bitsOfCount(value > 0 ? 2 * value - 1 : -2 * value)
}

/** The place of each pattern of coded blocks, of macroblocks that are predicted from another picture. */
const PATTERNS = [
  ...[0, 2, 3, 7, 4, 8, 17, 13, 5, 18, 9, 14, 10, 15, 16, 11, 1, 32, 33, 36, 34, 37, 44, 40],
  ...[35, 45, 38, 41, 39, 42, 43, 19, 6, 24, 25, 20, 26, 21, 46, 28, 27, 47, 22, 29, 23, 30, 31, 12],
]

/** @param luma a bit for each of four blocks. @param chroma 0: nothing, 1: means only, 2: all */
export function bitsOfPattern(luma: number, chroma: number): number {
  return bitsOfCount(PATTERNS[luma + 16 * chroma] ?? 0)
}
