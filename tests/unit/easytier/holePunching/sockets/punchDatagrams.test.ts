import {
  createPunchDatagrams,
  isPunchable,
  punchable,
} from '#internal/easytier/holePunching/sockets/punchDatagrams'
import { RpcRefusal } from '#internal/easytier/rpc/rpcMessage'
import type { UdpTransport } from '#internal/easytier/transport/udpTransport'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: limits of punching datagrams', { setUp })

function setUp() {
  const clock = createFakeClock()
  const datagrams = createPunchDatagrams(clock)
  const sent: string[] = []
  const from = {
    punch: (id: number, to: { address: string; port: number }) =>
      void sent.push(`${id} ${to.address}:${to.port}`),
  } as unknown as UdpTransport
  const send = (count: number, address: string, member: number) => {
    const before = sent.length
    for (let at = 0; at < count; at += 1) datagrams.punch(from, 7, { address, port: 5000 }, member)
    return sent.length - before
  }
  return { clock, datagrams, from, sent, send }
}

test('a datagram goes to a punchable endpoint only', ({ datagrams, from, sent }) => {
  datagrams.punch(from, 7, { address: '1.2.3.4', port: 5000 }, 1)
  datagrams.punch(from, 7, { address: '127.0.0.1', port: 5000 }, 1)
  datagrams.punch(from, 7, { address: '1.2.3.4', port: 53 }, 1)
  assert.equal(sent, ['7 1.2.3.4:5000'])
})

test('an address gets 1,200 at once and then 1,200 a second, from all members together', async () => {
  const { clock, send } = setUp()
  assert.is(send(1000, '1.1.1.1', 1) + send(1000, '1.1.1.1', 2), 1200)
  await clock.advance(500)
  assert.is(send(1000, '1.1.1.1', 3), 600)
})

test('all addresses together get 2,400 at once and then 2,400 a second', async ({ clock, send }) => {
  assert.is(send(1200, '1.1.1.1', 1) + send(1200, '1.1.1.2', 1) + send(1200, '1.1.1.3', 2), 2400)
  await clock.advance(250)
  assert.is(send(1200, '1.1.1.4', 3), 600)
})

test('a member causes 12,000 and then 50 a second', async ({ clock, send }) => {
  let total = 0
  for (let second = 0; second < 12; second += 1) {
    total += send(1200, `1.1.1.${second}`, 1)
    await clock.advance(1000)
  }
  // The bucket of 12,000 is refilled by 50 a second meanwhile.
  assert.equal([total, send(1200, '2.2.2.2', 1)], [12_000 + 50 * 11, 50])
  assert.is(send(1200, '2.2.2.3', 2), 1200, 'others are not affected')
})

test('only an address of a single machine is punchable, at a port from 1024', () => {
  const isAllowed = (address: string, port = 5000) => isPunchable({ address, port })
  for (const address of ['1.2.3.4', '10.0.0.1', '192.168.1.1', '223.255.255.1', '2a0e::1', 'fd00::1'])
    assert.is(isAllowed(address), true)
  const ipv4 = ['0.1.2.3', '127.1.2.3', '169.254.9.9', '224.0.0.1', '240.0.0.1', '255.255.255.255']
  const ipv6 = ['::1', '::', 'fe80::1', 'ff02::1', '::ffff:1.2.3.4']
  for (const address of [...ipv4, ...ipv6, 'x']) assert.is(isAllowed(address), false, address)
  const areAllowed = [1023, 1024, 65_536].map((port) => isAllowed('1.2.3.4', port))
  assert.equal(areAllowed, [false, true, false])
})

test('anything else is refused with a text for the member', () => {
  assert.equal(punchable({ address: '1.2.3.4', port: 5000 }), { address: '1.2.3.4', port: 5000 })
  for (const endpoint of [undefined, { address: '127.0.0.1', port: 5000 }, { address: '1.2.3.4', port: 53 }])
    assert.throws(
      () => punchable(endpoint),
      (error: unknown) => error instanceof RpcRefusal,
    )
})

test.run()
