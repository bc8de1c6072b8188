import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createLocalNet } from '@lantern-room/adapters/localNet'
import { createSystemClock } from '@lantern-room/adapters/system'
import type { DatagramFlow } from '@lantern-room/base/bytes'
import { createFakeClock } from '#support/network/fakeClock'
import { hasIpv6 } from '#support/network/interfaceInfo'
import { assert, suite } from '#support/runner/suite'
import { noise, text } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { closesItsSockets } from '../leaks'

const test = suite('LocalNet: datagrams', { timeoutMs: 30_000 })

const net = createLocalNet({ clock: createSystemClock(), lanInterfaces: ['127.0.0.1'] })
let stop: AbortController

test.before.each(() => {
  stop = new AbortController()
})
closesItsSockets(test, () => stop.abort(), 'soon')

/** Sends every datagram back where it came from. */
const echo = (flow: DatagramFlow) => flow.onDatagram((bytes) => flow.send(bytes))

test('datagrams of 0 to 65,507 bytes go there and back whole; larger ones and those of a closed flow are lost', async () => {
  const port = await freeUdpPort()
  assert.ok(await net.listenDatagrams(port, echo, stop.signal))
  const flow = net.openDatagrams(port)
  for (const size of [0, 1, 2, 508, 1200, 1472, 1473, 9000, 65_506, 65_507]) {
    const sent = noise(size)
    const back = next(flow)
    flow.send(noise(65_508))
    flow.send(sent)
    equalBytes(await back, sent)
  }
  flow.close()
  flow.close()
  flow.send(text('x'))
  await flow.closed
})

test('each client has a flow of its own, in IPv6 as well', async () => {
  const port = await freeUdpPort()
  const flows: DatagramFlow[] = []
  const take = (flow: DatagramFlow) => {
    const number = flows.push(flow)
    flow.onDatagram((bytes) => flow.send(text(`${number}: ${new TextDecoder().decode(bytes)}`)))
  }
  assert.ok(await net.listenDatagrams(port, take, stop.signal))
  const clients = [net.openDatagrams(port), net.openDatagrams(port)]
  for (const round of ['a', 'b'])
    for (const [index, client] of clients.entries())
      equalBytes(await echoed(client, text(round)), text(`${index + 1}: ${round}`))
  if (hasIpv6) {
    const socket = createSocket('udp6')
    socket.send('c', port, '::1')
    const [bytes] = await once(socket, 'message')
    equalBytes(bytes, text('3: c'))
    socket.close()
  }
  assert.is(flows.length, hasIpv6 ? 3 : 2)
  for (const client of clients) client.close()
})

test('a taken port is refused, and the next one is not', async () => {
  const socket = await bound()
  const { port } = socket.address()
  assert.is(await net.listenDatagrams(port, echo, stop.signal), false)
  socket.close()
  await once(socket, 'close')
  assert.is(await net.listenDatagrams(port, echo, stop.signal), true)
})

test('the signal closes the port and every flow', async () => {
  const port = await freeUdpPort()
  const flows: DatagramFlow[] = []
  await net.listenDatagrams(port, (flow) => flows.push(flow), stop.signal)
  const client = net.openDatagrams(port)
  client.send(text('x'))
  while (flows.length === 0) await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  await flows[0]?.closed
  flows[0]?.send(text('y'))
  client.send(text('z'))
  client.close()
  assert.is(await net.listenDatagrams(port, echo, stop.signal), false)
})

test('a flow without traffic closes after 180 s, and the client gets a new one', async () => {
  const clock = createFakeClock()
  const port = await freeUdpPort()
  const flows: DatagramFlow[] = []
  const take = (flow: DatagramFlow) => {
    flows.push(flow)
    echo(flow)
  }
  await createLocalNet({ clock, lanInterfaces: ['127.0.0.1'] }).listenDatagrams(port, take, stop.signal)
  const client = net.openDatagrams(port)
  const ask = () => echoed(client, text('x'))
  await ask()
  for (let round = 0; round < 2; round++) {
    await clock.advance(179_000)
    await ask()
  }
  assert.is(flows.length, 1)
  await clock.advance(180_000)
  await flows[0]?.closed
  await ask()
  assert.is(flows.length, 2)
  client.close()
  stop.abort()
  assert.is(clock.timers, 0)
})

test('datagrams to a port without a listener are lost without an error', async () => {
  const port = await freeUdpPort()
  const flow = net.openDatagrams(port)
  for (let i = 0; i < 5; i++) {
    flow.send(text('lost'))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await net.listenDatagrams(port, echo, stop.signal)
  const back = next(flow)
  // The first one may still get an error of the earlier ones.
  flow.send(text('found'))
  flow.send(text('found'))
  equalBytes(await back, text('found'))
  flow.close()
})

test('a flow that is closed before its socket is ready leaves nothing', async () => {
  const flow = net.openDatagrams(await freeUdpPort())
  flow.send(text('x'))
  flow.close()
  await flow.closed
})

test('only datagrams from the port of the flow are received', async () => {
  const server = await bound()
  const stranger = await bound()
  const flow = net.openDatagrams(server.address().port)
  const back = next(flow)
  flow.send(text('x'))
  const [, client] = await once(server, 'message')
  stranger.send('forged', client.port, '127.0.0.1')
  await new Promise((resolve) => setTimeout(resolve, 50))
  server.send('real', client.port, '127.0.0.1')
  equalBytes(await back, text('real'))
  flow.close()
  server.close()
  stranger.close()
})

const onLinux = test.skipUnless(process.platform === 'linux', 'only Linux has all of 127.0.0.0/8')

onLinux('1,024 clients have flows at once, and one more has none', async () => {
  const port = await freeUdpPort()
  const flows: DatagramFlow[] = []
  await net.listenDatagrams(port, (flow) => flows.push(flow), stop.signal)
  for (let round = 1; round <= 11; round++) {
    // An address for each round, so that no client of an earlier round appears again by chance.
    const clients = await Promise.all(Array.from({ length: 100 }, () => bound(`127.0.1.${round}`)))
    const expected = Math.min(1024, 100 * round)
    do {
      await Promise.all(
        clients.map((client) => new Promise((sent) => client.send('x', port, '127.0.0.1', sent))),
      )
      await new Promise((resolve) => setTimeout(resolve, 10))
    } while (flows.length < expected)
    for (const client of clients) client.close()
  }
  assert.is(flows.length, 1024)
})

function next(flow: DatagramFlow): Promise<Uint8Array> {
  return new Promise((resolve) => flow.onDatagram(resolve))
}

/** What comes back for these bytes. */
function echoed(flow: DatagramFlow, bytes: Uint8Array): Promise<Uint8Array> {
  const back = next(flow)
  flow.send(bytes)
  return back
}

async function bound(address = '127.0.0.1'): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.bind(0, address)
  await once(socket, 'listening')
  return socket
}

async function freeUdpPort(): Promise<number> {
  const socket = await bound()
  const { port } = socket.address()
  socket.close()
  await once(socket, 'close')
  return port
}

test.run()
