import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Endpoint } from '@lantern-room/easytier/wire'
import { hasIpv6 } from '#support/network/interfaceInfo'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { closesItsSockets } from '../leaks'
import { failure, loopback, turn, until } from './setting'

const test = suite('transports: udp')
const transports = loopback()
const everywhere = loopback({ interfaces: undefined })
closesItsSockets(test, () => {}, 'soon')

test('datagrams of many sizes go both ways, with the sender’s address', async () => {
  const [one, other] = [await transports.openUdp(0), await transports.openUdp(0)]
  const received: (readonly [Uint8Array, Endpoint])[] = []
  other.onDatagram((datagram, from) => received.push([datagram, from]))
  for (const size of [0, 1, 16, 1400, 2008, 9000]) {
    one.send(noise(size), { address: '127.0.0.1', port: other.port })
    await until(() => received.length === 1)
    const [datagram, from] = received.pop() ?? [noise(0), undefined]
    equalBytes(datagram, noise(size))
    assert.equal(from, { address: '127.0.0.1', port: one.port })
  }
  one.close()
  other.close()
  await Promise.all([one.closed, other.closed])
})

test('what cannot be sent is dropped, and the socket stays usable', async () => {
  const [one, other] = [await transports.openUdp(0), await transports.openUdp(0)]
  let count = 0
  other.onDatagram(() => {
    count += 1
  })
  const nowhere: readonly Endpoint[] = [
    { address: '::1', port: other.port },
    { address: 'not an address', port: other.port },
    { address: '127.0.0.1', port: 0 },
    { address: '127.0.0.1', port: 65_536 },
    { address: '127.0.0.1', port: Number.NaN },
    { address: '127.0.0.1', port: 1 },
    { address: '255.255.255.255', port: 9 },
  ]
  for (const to of nowhere) for (let i = 0; i < 20; i++) one.send(noise(100), to)
  one.send(new Uint8Array(70_000), { address: '127.0.0.1', port: other.port })
  await turn(30)
  one.send(noise(100), { address: '127.0.0.1', port: other.port })
  await until(() => count > 0)
  assert.is(count, 1)
  one.close()
  one.close()
  one.send(noise(100), { address: '127.0.0.1', port: other.port })
  other.close()
  await Promise.all([one.closed, other.closed])
})

test('one listener replaces the other', async () => {
  const socket = await transports.openUdp(0)
  const heard: string[] = []
  socket.onDatagram(() => heard.push('first'))
  socket.onDatagram(() => heard.push('second'))
  socket.send(noise(3), { address: '127.0.0.1', port: socket.port })
  await until(() => heard.length > 0)
  assert.equal(heard, ['second'])
  socket.close()
  await socket.closed
})

test('a taken port is reported in words; restricted to loopback, other addresses are free', async () => {
  const socket = await transports.openUdp(0)
  assert.is(await failure(transports.openUdp(socket.port)), 'the port is in use')
  const elsewhere = createSocket('udp4').bind(socket.port, '127.0.0.2')
  await once(elsewhere, 'listening')
  elsewhere.close()
  socket.close()
  await socket.closed
})

test.skipUnless(hasIpv6, 'this machine has no ::1')(
  'with both families on one port datagrams come and go in either, each with its sender’s own address',
  async () => {
    const [one, other] = await Promise.all([everywhere.openUdp(0, 'both'), everywhere.openUdp(0, 'both')])
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
  },
)

test('a socket of IPv4 alone is what one gets without asking', async () => {
  const [one, other] = await Promise.all([everywhere.openUdp(0), everywhere.openUdp(0, 'both')])
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
