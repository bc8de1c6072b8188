import * as assert from 'uvu/assert'
import { createAddressCounts } from '#core/easytier/relay/addressCounts'
import { suite } from '#support/runner/suite'

const test = suite('easytier: connections per address')

test('each IPv4 address is counted separately', () => {
  const counts = createAddressCounts()
  const remove = counts.add('192.0.2.1')
  counts.add('192.0.2.1')
  assert.is(counts.count('192.0.2.1'), 2)
  assert.is(counts.count('192.0.2.2'), 0)
  remove()
  assert.is(counts.count('192.0.2.1'), 1)
})

test('IPv6 addresses of one network of 64 bits count as one', () => {
  const counts = createAddressCounts()
  const remove = counts.add('2001:db8:1:2::1')
  assert.is(counts.count('2001:db8:1:2:ffff::9'), 1)
  assert.is(counts.count('2001:db8:1:3::1'), 0)
  remove()
  assert.is(counts.count('2001:db8:1:2::1'), 0)
})

test.run()
