import type { PortMapping } from '@lantern-room/routers'
import { isReachableByAll, type NatInfo, UNKNOWN_NAT } from '#internal/easytier/nat/natObserver'
import { natTypes } from '#internal/easytier/nat/natType'
import { assert, suite } from '#support/runner/suite'

const test = suite('whether all others reach this machine')

const MAPPING: PortMapping = {
  method: 'nat-pmp',
  router: '192.168.1.1',
  localPort: 4000,
  transport: 'udp',
  external: { address: '203.0.113.7', port: 4000 },
}
const OWN = ['192.168.1.2', '2001:db8::2']
const PUBLIC_IPV6 = { address: '2001:db8::2', port: 4000 }

const cases: readonly [string, Partial<NatInfo>, readonly PortMapping[], boolean][] = [
  ['nothing is known', {}, [], false],
  ['every router that translates', { udp: natTypes.portRestricted }, [], false],
  ['a strict router', { udp: natTypes.symmetric }, [], false],
  ['an address of the internet', { udp: natTypes.openInternet }, [], true],
  ['an open port of the router', { udp: natTypes.symmetric }, [MAPPING], true],
  ['an address of IPv6', { udp: natTypes.symmetric, mappedIpv6: PUBLIC_IPV6 }, [], true],
  ['an address of IPv6 that is the router’s', { mappedIpv6: { address: '2001:db8::1', port: 1 } }, [], false],
]

for (const [name, info, mappings, isReachable] of cases)
  test(name, () => assert.is(isReachableByAll({ ...UNKNOWN_NAT, ...info }, mappings, OWN), isReachable))

test.run()
