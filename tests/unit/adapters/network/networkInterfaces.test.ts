import {
  interfaceAddresses,
  isLoopbackOnly,
  isOnSubnetOf,
  isOwnAddress,
  ownAddresses,
  reachableAddresses,
} from '#internal/adapters/network/networkInterfaces'
import { ipv4, ipv6 } from '#support/network/interfaceInfo'
import { assert, suite } from '#support/runner/suite'

const test = suite('network interfaces')

const all = {
  lo: [ipv4('127.0.0.1', true), ipv6('::1', true)],
  eth0: [ipv6('fe80::5%eth0'), ipv6('2001:db8::5'), ipv4('192.168.1.5'), ipv4('169.254.3.3')],
  tun0: [ipv4('10.8.0.2')],
  gone0: undefined,
}

test('addresses are selected by name or address, with or without a zone', () => {
  const selected = (wanted?: readonly string[]) =>
    interfaceAddresses(all, wanted).map(({ name, address }) => `${name} ${address}`)
  assert.is(selected().length, 7)
  assert.equal(selected(['tun0', '::1']), ['lo ::1', 'tun0 10.8.0.2'])
  assert.equal(selected(['fe80::5%eth1']), ['eth0 fe80::5'])
  assert.equal(selected(['wlan0', '1.2.3.4']), [])
  assert.equal(selected([]), [])
})

test('own addresses are all of the interfaces and all of loopback', () => {
  const own = ownAddresses(all)
  assert.is(own.size, 7)
  for (const address of ['192.168.1.5', 'fe80::5', 'fe80::5%eth0', '127.0.0.1', '127.9.9.9', '::1'])
    assert.ok(isOwnAddress(address, own), address)
  for (const address of ['192.168.1.6', 'fe80::6', '::2', '', '::ffff:192.168.1.6'])
    assert.not.ok(isOwnAddress(address, own), address)
  assert.ok(isOwnAddress('127.0.0.1', new Set()))
})

test('reachable addresses are IPv4 first, without IPv6 link-local ones', () => {
  assert.equal(reachableAddresses(all, undefined), ['192.168.1.5', '169.254.3.3', '10.8.0.2', '2001:db8::5'])
  assert.equal(reachableAddresses(all, ['tun0']), ['10.8.0.2'])
  assert.equal(reachableAddresses(all, ['fe80::5']), [])
})

test('an address is on a subnet of the interfaces in use, and on loopback’s where there is nothing else', () => {
  const isOn = (address: string, wanted?: readonly string[]) => isOnSubnetOf(all, wanted, address)
  assert.equal([isOn('192.168.1.77'), isOn('10.8.0.77'), isOn('192.168.2.1')], [true, true, false])
  assert.equal(
    [isOn('10.8.0.77', ['eth0']), isOn('127.0.0.1'), isOn('127.0.0.1', ['lo'])],
    [false, false, true],
  )
})

test('loopback is reachable only where there is nothing else', () => {
  assert.equal(reachableAddresses({ lo: all.lo }, undefined), ['127.0.0.1', '::1'])
  assert.equal(reachableAddresses(all, ['lo']), ['127.0.0.1', '::1'])
  assert.equal(reachableAddresses({}, undefined), [])
})

test('loopback only: every wanted interface or address is loopback', () => {
  for (const [wanted, expected] of [
    [undefined, false],
    [[], false],
    [['lo'], true],
    [['127.0.0.1'], true],
    [['127.5.5.5', '::1', 'lo'], true],
    [['lo', 'eth0'], false],
    [['192.168.1.5'], false],
    [['gone0'], false],
    [['absent'], false],
  ] as const)
    assert.is(isLoopbackOnly(all, wanted), expected, String(wanted))
})

test.run()
