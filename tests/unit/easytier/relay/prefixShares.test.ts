import { createPrefixShares } from '#core/easytier/relay/prefixShares'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('relay: shares of networks')

const LIMITS = { connections: 2, bytesPerSecond: 1000 }

test('each IPv4 address has its own connections', () => {
  const shares = createPrefixShares(LIMITS, createFakeClock())
  const first = shares.enter('192.0.2.1')
  assert.ok(first && shares.enter('192.0.2.1'))
  assert.not.ok(shares.enter('192.0.2.1'))
  assert.ok(shares.enter('192.0.2.2'))
  first.leave()
  assert.ok(shares.enter('192.0.2.1'))
  assert.not.ok(shares.enter('192.0.2.1'))
})

/** [what, how many it may have, address of the n-th connection, one that is outside] */
const NETWORKS: readonly (readonly [string, number, (n: number) => string, string])[] = [
  ['a network of 64 bits', 2, (n) => `2001:db8:1:2::${n.toString(16)}`, '2001:db8:1:3::1'],
  ['a network of 56 bits', 8, (n) => `2001:db8:1:${(0x200 + n).toString(16)}::1`, '2001:db8:1:300::1'],
  ['a network of 48 bits', 32, (n) => `2001:db8:1:${(n * 256).toString(16)}::1`, '2001:db8:2::1'],
]
for (const [what, limit, address, outside] of NETWORKS) {
  test(`${what} has ${limit} connections where an address has two`, () => {
    const shares = createPrefixShares(LIMITS, createFakeClock())
    const entered = Array.from({ length: limit }, (_, n) => shares.enter(address(n)))
    assert.ok(entered.every(Boolean))
    assert.not.ok(shares.enter(address(limit)))
    assert.ok(shares.enter(outside))
    entered[0]?.leave()
    assert.ok(shares.enter(address(limit)))
  })
}

test('the rates of an IPv6 address are those of its three networks', () => {
  const shares = createPrefixShares(LIMITS, createFakeClock())
  const one = shares.enter('2001:db8:1:201::1')
  const neighbour = shares.enter('2001:db8:1:202::1')
  assert.ok(one && neighbour)
  const allowed = one.rates.map((rate) => [1000, 4000, 16_000].filter((bytes) => rate.has(bytes)))
  assert.equal(allowed, [[1000], [1000, 4000], [1000, 4000, 16_000]])
  one.rates[1]?.take(4000)
  assert.equal([neighbour.rates[0]?.has(1000), neighbour.rates[1]?.has(1)], [true, false])
})

test('without a rate there is none', () => {
  const shares = createPrefixShares({ connections: 2, bytesPerSecond: undefined }, createFakeClock())
  assert.equal(shares.enter('2001:db8::1')?.rates, [])
})

test('who connects again at once has no new rate, and later a full one', async () => {
  const clock = createFakeClock()
  const shares = createPrefixShares(LIMITS, clock)
  const first = shares.enter('192.0.2.1')
  first?.rates[0]?.take(1000)
  first?.leave()
  await clock.advance(500)
  const again = shares.enter('192.0.2.1')
  assert.is(again?.rates[0]?.has(501), false)
  again?.leave()
  await clock.advance(2000)
  assert.is(shares.enter('192.0.2.1')?.rates[0]?.has(1000), true)
})
