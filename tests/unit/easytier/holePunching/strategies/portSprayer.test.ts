import { shuffledPorts } from '#core/easytier/holePunching/strategies/portSprayer'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'

const test = suite('easytier: the order of ports')

test('each port from 1024 is tried once, in a random order', () => {
  const ports = shuffledPorts(createPrng(1).bytes)
  assert.is(new Set(ports).size, 64_512)
  assert.equal([Math.min(...ports), Math.max(...ports)], [1024, 65_535])
  assert.not.equal(ports.slice(0, 9), shuffledPorts(createPrng(2).bytes).slice(0, 9))
})
