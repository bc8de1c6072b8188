import { createOwnAddresses } from '#internal/adapters/localNet/localNet'
import type { NetworkInterfaces } from '#internal/adapters/network/networkInterfaces'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('own addresses of the local net')

const eth0 = (address: string): NetworkInterfaces => ({
  eth0: [{ family: 'IPv4', address, cidr: `${address}/24`, netmask: '', mac: '', internal: false }],
})

test('interfaces are scanned for unknown addresses, at most once a second', async () => {
  const clock = createFakeClock()
  let all = eth0('10.0.0.1')
  let scans = 0
  const isOwn = createOwnAddresses(clock, () => {
    scans += 1
    return all
  })
  assert.ok(isOwn('127.0.0.1') && isOwn('::1'))
  assert.is(scans, 0, 'loopback needs no scan')
  assert.ok(isOwn('10.0.0.1'))
  assert.not.ok(isOwn('10.0.0.2'))
  assert.not.ok(isOwn(undefined))
  assert.is(scans, 1)
  all = eth0('10.0.0.2')
  await clock.advance(999)
  assert.not.ok(isOwn('10.0.0.2'))
  await clock.advance(1)
  assert.ok(isOwn('10.0.0.2'))
  assert.is(scans, 2)
  assert.ok(isOwn('10.0.0.2'))
  assert.is(scans, 2, 'a known address needs no scan')
})

test.run()
