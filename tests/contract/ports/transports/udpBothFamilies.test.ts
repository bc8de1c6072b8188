import { networkInterfaces } from 'node:os'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import { assert, suite } from '#support/runner/suite'
import { closesItsSockets, loopback, until } from './setting'

const test = suite('transports: udp of both families on one port')
const hasIpv6 = Object.values(networkInterfaces()).some((infos) =>
  infos?.some(({ address }) => address === '::1'),
)
const withIpv6 = test.skipUnless(hasIpv6, 'this machine has no IPv6')
const transports = loopback({ interfaces: undefined })
closesItsSockets(test)

withIpv6('datagrams come and go in either family, each with its sender’s own address', async () => {
  const [one, other] = await Promise.all([transports.openUdp(0, 'both'), transports.openUdp(0, 'both')])
  const received: (readonly [string, Endpoint])[] = []
  other.onDatagram((datagram, from) => received.push([new TextDecoder().decode(datagram), from]))
  for (const address of ['127.0.0.1', '::1']) {
    one.send(new TextEncoder().encode(address), { address, port: other.port })
    await until(() => received.length === 1)
    assert.equal(received.pop(), [address, { address, port: one.port }])
  }
  one.close()
  other.close()
  await Promise.all([one.closed, other.closed])
  one.send(new Uint8Array(1), { address: '::1', port: other.port })
})

test('a socket of IPv4 alone is what one gets without asking', async () => {
  const [one, other] = await Promise.all([transports.openUdp(0), transports.openUdp(0, 'both')])
  let count = 0
  one.onDatagram(() => {
    count += 1
  })
  other.send(new Uint8Array(1), { address: '::1', port: one.port })
  other.send(new Uint8Array(1), { address: '127.0.0.1', port: one.port })
  await until(() => count > 0)
  assert.is(count, 1)
  one.close()
  other.close()
  await Promise.all([one.closed, other.closed])
})

test.run()
