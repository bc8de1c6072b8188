import {
  isInSubnet,
  isLinkLocalIpv6,
  isLoopbackAddress,
  isPublicAddress,
  isReachableAddress,
  isReachableIpv4,
  isSiteAddress,
} from '#internal/base/network/addressRanges'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'

const test = suite('address ranges')

const table: readonly (readonly [
  address: string,
  loopback: boolean,
  linkLocal: boolean,
  reachable: boolean,
])[] = [
  ['0.0.0.0', false, false, false],
  ['0.255.255.255', false, false, false],
  ['1.0.0.0', false, false, true],
  ['10.0.0.1', false, false, true],
  ['100.64.0.1', false, false, true],
  ['126.255.255.255', false, false, true],
  ['127.0.0.0', true, false, false],
  ['127.0.0.1', true, false, false],
  ['127.255.255.255', true, false, false],
  ['128.0.0.0', false, false, true],
  ['169.253.255.255', false, false, true],
  ['169.254.0.0', false, false, false],
  ['169.254.255.255', false, false, false],
  ['169.255.0.0', false, false, true],
  ['172.16.0.1', false, false, true],
  ['192.0.2.1', false, false, true],
  ['192.168.1.1', false, false, true],
  ['203.0.113.5', false, false, true],
  ['223.255.255.255', false, false, true],
  ['224.0.0.0', false, false, false],
  ['239.255.255.255', false, false, false],
  ['240.0.0.0', false, false, false],
  ['255.255.255.255', false, false, false],
  ['::', false, false, false],
  ['::1', true, false, false],
  ['::2', false, false, false],
  ['::ffff:127.0.0.1', false, false, false],
  ['fe7f::1', false, false, false],
  ['fe80::1', false, true, false],
  ['FE80::1', false, true, false],
  ['fe80::1%eth0', false, true, false],
  ['febf::1', false, true, false],
  ['fec0::1', false, false, false],
  ['fd00::1', false, false, false],
  ['2001:db8::1', false, false, false],
  ['', false, false, false],
  ['localhost', false, false, false],
  ['1.2.3', false, false, false],
  ['1.2.3.256', false, false, false],
  ['01.2.3.4', false, false, false],
  ['1.2.3.4 ', false, false, false],
]

for (const [address, loopback, linkLocal, reachable] of table)
  test(`"${address}"`, () => {
    assert.is(isLoopbackAddress(address), loopback, 'loopback')
    assert.is(isLinkLocalIpv6(address), linkLocal, 'link-local IPv6')
    assert.is(isReachableIpv4(address), reachable, 'reachable IPv4')
  })

test('a thousand IPv4 addresses by their numbers', () => {
  const chance = createPrng(4)
  for (let count = 0; count < 1000; count += 1) {
    const parts = [
      chance.integer(0, 255),
      chance.integer(0, 255),
      chance.integer(0, 255),
      chance.integer(0, 255),
    ]
    const [first = 0, second] = parts
    const isLinkLocal = first === 169 && second === 254
    const address = parts.join('.')
    assert.is(isReachableIpv4(address), first !== 0 && first !== 127 && first < 224 && !isLinkLocal, address)
    assert.is(isLoopbackAddress(address), first === 127, address)
  }
})

test('of IPv6 the internet’s and a site’s own addresses can be reached, embedded IPv4 cannot', () => {
  for (const address of ['2001:470::1', '2a00::', 'fd12::1', 'fc00::1'])
    assert.is(isReachableAddress(address), true, address)
  const others = [
    '::1',
    '::',
    'fe80::1',
    'ff02::1',
    '::ffff:1.2.3.4',
    '::1.2.3.4',
    '64:ff9b::1',
    '2002::1',
    'fd12::1%a',
    'x',
  ]
  for (const address of others) assert.is(isReachableAddress(address), false, address)
  assert.equal([isReachableAddress('8.8.8.8'), isReachableAddress('127.0.0.1')], [true, false])
})

test('a site’s own addresses', () => {
  for (const address of ['10.0.0.1', '172.31.0.1', '192.168.0.1', 'fd00::1'])
    assert.is(isSiteAddress(address), true, address)
  for (const address of ['172.32.0.1', '100.64.0.1', '8.8.8.8', '2001::1', 'localhost'])
    assert.is(isSiteAddress(address), false, address)
})

test('an address is in a subnet of its own family', () => {
  assert.equal(
    ['192.168.1.255', '192.168.2.0', 'fd00::1', 'x'].map((address) => isInSubnet(address, '192.168.1.7/24')),
    [true, false, false, false],
  )
  assert.equal([isInSubnet('fd00::9', 'fd00::1/64'), isInSubnet('fd00::9', 'fd00::1')], [true, false])
})

test('of the internet are neither private addresses nor those that hide one', () => {
  const addresses = ['8.8.8.8', '2606:4700::1', '1.1.1.1']
  for (const address of addresses) assert.ok(isPublicAddress(address), address)
  const inside = [
    '10.1.2.3',
    '172.31.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '0.0.0.0',
    '169.254.169.254',
    '224.0.0.1',
  ]
  const inside6 = ['::1', '::', 'fe80::1', 'fe80::1%lo', 'fd00:ec2::254', 'ff02::1']
  const hidden = [
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::',
    '2001:0:1::1',
    '127.1',
    '0x7f000001',
    'localhost',
    '',
  ]
  for (const address of [...inside, ...inside6, ...hidden]) assert.not(isPublicAddress(address), address)
})

test.run()
