import type { NetworkInterfaceInfo } from 'node:os'
import * as assert from 'uvu/assert'
import { multicastInterfaces, neighbours } from '#core/adapters/network/multicastInterfaces'
import { suite } from '#support/runner/suite'

const test = suite('interfaces for multicast')

const all = {
  lo: [ipv4('127.0.0.1', 8, true), ipv6('::1', 128, 0, true)],
  eth0: [ipv4('192.168.1.5', 24), ipv4('10.0.0.5', 8), ipv6('fd00::5', 64, 0), ipv6('fe80::5', 64, 2)],
  tun0: [ipv4('10.8.0.2', 32)],
  gone0: undefined,
}
const chosen = (wanted: readonly string[] | undefined, platform: NodeJS.Platform = 'linux') =>
  multicastInterfaces(all, wanted, platform).map(({ multicast }) => multicast)

test('by default all are used: IPv4 by address, IPv6 by name', () => {
  assert.equal(chosen(undefined), ['127.0.0.1', '::%lo', '192.168.1.5', '10.0.0.5', '::%eth0', '10.8.0.2'])
})

test('an address selects its family only, a name both', () => {
  assert.equal(chosen(['127.0.0.1']), ['127.0.0.1'])
  assert.equal(chosen(['::1']), ['::%lo'])
  assert.equal(chosen(['fe80::5%eth0']), ['::%eth0'])
  assert.equal(chosen(['lo']), ['127.0.0.1', '::%lo'])
  assert.equal(chosen(['10.0.0.5', 'tun0']), ['10.0.0.5', '10.8.0.2'])
  assert.equal(chosen(['wlan0', '203.0.113.1']), [])
  assert.equal(chosen([]), [])
})

test('on Windows a zone is a number, and 1 for loopback', () => {
  assert.equal(chosen(['eth0'], 'win32'), ['192.168.1.5', '10.0.0.5', '::%2'])
  assert.equal(chosen(['::1'], 'win32'), ['::%1'])
})

test('a neighbour shares a network with a chosen interface', () => {
  const isNear = neighbours(multicastInterfaces(all, ['eth0'], 'linux'))
  for (const address of ['192.168.1.200', '10.200.0.1', 'fd00::9', 'fe80::9%eth0']) assert.ok(isNear(address))
  for (const address of ['192.168.2.1', '127.0.0.1', 'fd01::9', 'fe80::9%eth1', '::1'])
    assert.not.ok(isNear(address), address)
  const isLoopback = neighbours(multicastInterfaces(all, ['127.0.0.1'], 'linux'))
  assert.ok(isLoopback('127.0.0.1'))
  assert.not.ok(isLoopback('192.168.1.5'))
  assert.not.ok(neighbours([])('127.0.0.1'))
})

test.run()

function ipv4(address: string, bits: number, internal = false): NetworkInterfaceInfo {
  return { family: 'IPv4', address, cidr: `${address}/${bits}`, netmask: '', mac: '', internal }
}

function ipv6(address: string, bits: number, scopeid: number, internal = false): NetworkInterfaceInfo {
  return { family: 'IPv6', address, cidr: `${address}/${bits}`, netmask: '', mac: '', internal, scopeid }
}
