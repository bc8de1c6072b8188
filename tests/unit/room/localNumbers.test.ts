import { drawNumber, isAllowable, numberRule, worldNumberRule } from '#internal/room/localNumbers'
import { assert, suite } from '#support/runner/suite'

const test = suite('the numbers of a host’s ports on a guest')

const nothing = () => false
const everything = () => true

/** Transport, numbers, the rule where the player has allowed nothing, and where everything is allowed. */
const TABLE = [
  // The system's, and where this program and others of its kind are looked for.
  ['tcp', [-1, 0, 1, 22, 53, 80, 443, 1023], 'reserved', 'reserved'],
  ['udp', [-1, 0, 1, 53, 67, 123, 1023], 'reserved', 'reserved'],
  ['tcp', [4445, 5062, 5353, 24_445], 'reserved', 'reserved'],
  ['udp', [4445, 5062, 5353, 24_445], 'reserved', 'reserved'],
  [
    'tcp',
    [65_536, 70_000, 2 ** 31, 2 ** 53, 25_565.5, Number.NaN, Infinity, -Infinity],
    'reserved',
    'reserved',
  ],
  ['udp', [65_536, Number.NaN, Infinity, 24_454.5], 'reserved', 'reserved'],
  // Other programs' well-known ones.
  ['tcp', [1024, 2375, 3306, 3389, 5432, 6379, 8000, 8080, 9200, 11_434, 27_017], 'unasked', 'same'],
  ['udp', [1024, 1900, 3478, 5355, 5683, 27_015], 'unasked', 'same'],
  // Games and voice chat, and what stands next to them.
  ['tcp', [25_565, 25_566, 25_569], 'same', 'same'],
  ['udp', [25_565, 25_569, 19_132, 19_133, 24_454, 24_459, 9987], 'same', 'same'],
  ['tcp', [25_564, 25_570, 25_575, 8100, 8123, 10_011, 24_454, 9987, 19_132], 'unasked', 'same'],
  ['udp', [25_564, 25_570, 19_131, 19_134, 24_453, 24_460, 8123], 'unasked', 'same'],
  // Nobody's, but a few.
  ['tcp', [49_152, 50_000, 60_606, 64_738, 65_535], 'same', 'same'],
  ['udp', [49_152, 60_606, 64_738, 65_535], 'same', 'same'],
  ['tcp', [32_768, 40_000, 49_151, 50_051, 61_616, 63_342], 'unasked', 'same'],
] as const

for (const [transport, ports, unasked, allowed] of TABLE) {
  test(`${transport} ${ports.join(', ')}: ${unasked}, and ${allowed} where the player allows it`, () => {
    for (const port of ports) {
      assert.is(numberRule(transport, port, nothing), unasked, `${port}`)
      assert.is(numberRule(transport, port, everything), allowed, `${port}`)
      assert.is(isAllowable(port), allowed === 'same', `${port}`)
    }
  })
}

test('a world has its number in both transports where a game uses it in one, or a system draws it', () => {
  for (const port of [19_132, 25_565, 24_454, 32_768, 40_123, 49_151, 49_152, 65_535])
    assert.is(worldNumberRule(port, nothing), 'same', `${port}`)
  for (const port of [1024, 3306, 8000, 11_434, 25_575, 32_767])
    assert.is(worldNumberRule(port, nothing), 'unasked', `${port}`)
  for (const port of [0, 22, 4445, 5062, 5353, 24_445, 65_536, Number.NaN])
    assert.is(worldNumberRule(port, everything), 'reserved', `${port}`)
  assert.is(worldNumberRule(3306, everything), 'same')
})

test('a number that is drawn is dynamic, and none where a program is looked for', () => {
  const draws = [0, 50_051 - 49_152, 63_342 - 49_152, 16_383]
  const drawn = [0, 1].map(() => drawNumber((below) => Math.min(draws.shift() ?? 0, below - 1)))
  assert.equal(drawn, [49_152, 65_535])
})

test.run()
