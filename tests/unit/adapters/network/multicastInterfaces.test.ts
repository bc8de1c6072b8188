import type { Log } from '@lantern-room/base'
import { multicastInterfaces, neighbours, reportOnce } from '#internal/adapters/network/multicastInterfaces'
import { ipv4, ipv6 } from '#support/network/interfaceInfo'
import { assert, suite } from '#support/runner/suite'

const test = suite('interfaces for multicast')

const all = {
  lo: [ipv4('127.0.0.1', true, 8), ipv6('::1', true, 128)],
  eth0: [ipv4('192.168.1.5'), ipv4('10.0.0.5', false, 8), ipv6('fd00::5'), ipv6('fe80::5', false, 64, 2)],
  tun0: [ipv4('10.8.0.2', false, 32)],
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

const refused = Object.assign(new Error('refused'), { code: 'EACCES' })

test('IPv4 is a warning, IPv6 a detail; the entry has the code of a system error or the text of another one', () => {
  const { entries, report } = setUp()
  report('no multicast', 'ipv4', '10.0.0.1', refused)
  report('no multicast', 'ipv6', '::%eth0', new Error('odd'))
  assert.equal(entries, [
    ['warn', 'no multicast', { interface: '10.0.0.1', code: 'EACCES' }],
    ['debug', 'no multicast', { interface: '::%eth0', code: 'Error: odd' }],
  ])
})

test('only the same problem with the same code at the same interface is a repetition', () => {
  const { entries, report } = setUp()
  for (let count = 0; count < 3; count += 1) {
    report('one', 'ipv4', 'a', refused)
    report('other', 'ipv4', 'a', refused)
    report('one', 'ipv6', 'a', refused)
    report('one', 'ipv4', 'b', refused)
    report('one', 'ipv4', 'a', Object.assign(new Error('x'), { code: 'EPERM' }))
  }
  assert.is(entries.length, 5)
})

function setUp() {
  const entries: unknown[] = []
  const at = (level: string) => (message: string, fields?: object) =>
    void entries.push([level, message, fields])
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return { entries, report: reportOnce(log) }
}

test.run()
