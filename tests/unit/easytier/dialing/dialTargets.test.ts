import type { OwnMachine } from '@lantern-room/base/network'
import { isInSubnet } from '@lantern-room/base/network'
import { createDialTargets, isDialable } from '#internal/easytier/dialing/dialTargets'
import type { NodeUrl } from '#internal/easytier/wire/socketAddress'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: addresses that members tell')

const machine: OwnMachine = {
  isOwnAddress: (address) => address === '192.168.1.7',
  isOwnName: () => false,
  isOnOwnSubnet: (address) => isInSubnet(address, '192.168.1.7/24') || isInSubnet(address, 'fd00:1::7/64'),
}
const tcp = (host: string, port = 11_010): NodeUrl => ({ scheme: 'tcp', host, port, path: '/' })

test('addresses of the internet and of our own subnets are dialled', () => {
  for (const host of ['20.0.0.1', '100.64.0.1', '192.168.1.200', '2001:470::1', 'fd00:1::9'])
    assert.is(isDialable(tcp(host), machine), true, host)
  assert.is(isDialable(tcp('20.0.0.1', 1024), machine), true)
})

test('names, our own machine, other sites, groups, embedded IPv4 and services are not', () => {
  const refused: Readonly<Record<string, string>> = {
    'a name': 'localhost example.com',
    'our own machine': '127.0.0.1 127.1.2.3 ::1 0.0.0.0 :: 0x7f.0.0.1 2130706433',
    'another site': '192.168.2.1 10.0.0.1 172.16.0.1 fd00:2::1',
    'an address of a link': '169.254.169.254 fe80::1 fd00:1::9%eth0',
    'a group': '224.0.0.1 ff02::1 255.255.255.255',
    'embedded IPv4': '::ffff:20.0.0.1 ::ffff:7f00:1 ::7f00:1 64:ff9b::7f00:1 2002:7f00:1::',
  }
  for (const [kind, hosts] of Object.entries(refused))
    for (const host of hosts.split(' ')) assert.is(isDialable(tcp(host), machine), false, `${kind}: ${host}`)
  for (const port of [0, 22, 80, 1023]) assert.is(isDialable(tcp('20.0.0.1', port), machine), false)
})

test('loopback is dialled only by a machine that has no other network', () => {
  const isOnOwnSubnet = (address: string) => isInSubnet(address, '127.0.0.1/8')
  assert.is(isDialable(tcp('127.0.0.1'), { ...machine, isOnOwnSubnet }), true)
})

test('a listener that has failed three times is left alone for ten minutes', async () => {
  const clock = createFakeClock()
  const targets = createDialTargets(clock, machine, () => assert.unreachable())
  for (let turn = 0; turn < 3; turn += 1) {
    assert.is(targets.take(7, tcp('20.0.0.1')), true)
    targets.failed(7, tcp('20.0.0.1'))
  }
  assert.equal([targets.take(7, tcp('20.0.0.1')), targets.take(7, tcp('20.0.0.2'))], [false, true])
  assert.is(targets.take(8, tcp('20.0.0.1')), true, 'another member may tell it, too')
  await clock.advance(600_000)
  assert.is(targets.take(7, tcp('20.0.0.1')), true)
})

test('32 listeners of a member, and a rate for all together', async () => {
  const clock = createFakeClock()
  const greedy: number[] = []
  const targets = createDialTargets(clock, machine, (peerId) => void greedy.push(peerId))
  const taken = (peerId: number) =>
    Array.from({ length: 40 }, (_, at) => targets.take(peerId, tcp(`20.0.0.${at}`))).filter(Boolean).length
  assert.equal([taken(1), greedy.length], [32, 8])
  let sum = 32
  for (let peerId = 2; peerId <= 60; peerId += 1) sum += taken(peerId)
  assert.is(sum, 512)
  await clock.advance(1000)
  assert.is(taken(61), 8)
  targets.forget(1)
  await clock.advance(1000)
  assert.is(taken(1), 8)
})

test.run()
