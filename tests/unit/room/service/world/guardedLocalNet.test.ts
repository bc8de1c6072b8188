import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createLocalNet } from '@lantern-room/adapters/localNet'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import { OwnPorts } from '@lantern-room/base/network'
import { notePorts } from '@lantern-room/room/network'
import { guardLocalNet } from '#internal/room/service/world/portGuard'
import { openSocketServer } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'
import { silentLog } from '#support/values/testLog'
import { until } from '#support/values/until'

const test = suite('LocalNet: ports of this program lead nowhere', { timeoutMs: 30_000 })

const clock = createSystemClock()
const LOOPBACK = { clock, lanInterfaces: ['127.0.0.1'] }

test('what listens for rooms is noted until it is closed, and no stream leads to it', async () => {
  const ownPorts = new OwnPorts()
  const net = guardLocalNet(createLocalNet(LOOPBACK), ownPorts)
  for (const [at, use] of [
    ['loopback', 'room'],
    ['every-address', 'forward'],
  ] as const) {
    const stop = new AbortController()
    let accepted = 0
    const take = () => {
      accepted += 1
    }
    const { port, closed } = await net.listen([0], take, stop.signal, at)
    assert.is(ownPorts.useOf('tcp', port), use)
    assert.match(
      String(await rejection(net.connect(port))),
      new RegExp(`TCP port ${port} is this program’s own`),
    )
    assert.is(accepted, 0)
    stop.abort()
    await closed
    await until('it is forgotten', () => ownPorts.useOf('tcp', port) === undefined)
  }
})

test('other programs are reached as ever', async () => {
  const { port, close } = await openSocketServer((socket) => socket.end('hello'))
  const net = guardLocalNet(createLocalNet(LOOPBACK), new OwnPorts())
  const stream = await net.connect(port)
  assert.is(Buffer.from((await stream.read()) ?? []).toString(), 'hello')
  stream.destroy()
  await close()
})

test('no datagram leads to a UDP port on which a forward listens', async () => {
  const ownPorts = new OwnPorts()
  const net = guardLocalNet(createLocalNet(LOOPBACK), ownPorts)
  const free = createSocket('udp4').bind(0, '127.0.0.1')
  await once(free, 'listening')
  const { port } = free.address()
  // The port is taken: nothing is noted.
  const stop = new AbortController()
  assert.is(await net.listenDatagrams(port, (flow) => flow.close(), stop.signal), false)
  assert.is(ownPorts.useOf('udp', port), undefined)
  const heard: string[] = []
  free.on('message', (bytes) => heard.push(`${bytes}`))
  const forget = ownPorts.add('udp', port, 'forward')
  const dead = net.openDatagrams(port)
  dead.send(new TextEncoder().encode('to our own'))
  await dead.closed
  forget()
  const flow = net.openDatagrams(port)
  flow.send(new TextEncoder().encode('to another program'))
  await until('it is heard', () => heard.length > 0)
  assert.equal(heard, ['to another program'])
  flow.close()
  free.close()
  await once(free, 'close')
  assert.is(await net.listenDatagrams(port, (one) => one.close(), stop.signal), true)
  assert.is(ownPorts.useOf('udp', port), 'forward')
  stop.abort()
  assert.is(ownPorts.useOf('udp', port), undefined)
})

test('what the network listens on is noted until it is closed', async () => {
  const ownPorts = new OwnPorts()
  const transports = notePorts(createNodeTransports({ ...LOOPBACK, log: silentLog() }), ownPorts)
  const stop = new AbortController()
  const listening = await transports.listenTcp(0, (connection) => connection.close(), stop.signal)
  const socket = await transports.openUdp(0)
  const uses = () => [ownPorts.useOf('tcp', listening.port), ownPorts.useOf('udp', socket.port)]
  assert.equal(uses(), ['network', 'network'])
  stop.abort()
  socket.close()
  await Promise.all([listening.closed, socket.closed])
  await until('both are forgotten', () => uses().every((use) => use === undefined))
})

test.run()
