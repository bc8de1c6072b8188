import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createDeferred } from '@lantern-room/base/async'
import type { Connection } from '@lantern-room/easytier/transport'
import { createPacketReader } from '@lantern-room/easytier/wire'
import { encodeStunResponse } from '#support/network/stun'
import { encodeTcpFrame } from '#support/network/tcpFrame'
import { openSocketServer } from '#support/process/openPort'
import { freePort } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { closesItsSockets } from '../leaks'
import { endsBySignal, failure, loopback, tcpPair, turn, until } from './setting'

const test = suite('transports: tcp', { timeoutMs: 20_000 })
const transports = loopback()
const never = new AbortController().signal
let stop: AbortController

test.before.each(() => {
  stop = new AbortController()
})
closesItsSockets(test, () => stop.abort(), 'soon')

function at(port: number) {
  return { address: '127.0.0.1', port }
}

async function listening() {
  const links: Connection[] = []
  const { port, closed } = await transports.listenTcp(0, (link) => void links.push(link), stop.signal)
  return { port, closed, links }
}

async function plainClient(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  return socket
}

test('a frame is its length and the packet, in either direction', async () => {
  const { port, links } = await listening()
  const client = await plainClient(port)
  client.write(encodeTcpFrame(noise(20)))
  await until(() => links.length === 1)
  const [link] = links
  if (!link) throw new Error('unreachable')
  const packet = createDeferred<Uint8Array>()
  link.onPacket(packet.resolve)
  equalBytes(await packet.promise, noise(20))
  link.send(noise(300))
  const [answer] = await once(client, 'data')
  equalBytes(answer, encodeTcpFrame(noise(300)))
  link.close()
  await Promise.all([link.closed, once(client, 'close')])
})

test('a ping goes before the packets that wait on a connection that is full', async () => {
  const [near, far] = await tcpPair(transports, stop.signal)
  const bulk = new Uint8Array(2000)
  for (let turns = 0; turns < 100; turns++) {
    for (let count = 0; count < 200; count++) near.send(bulk)
    await turn()
  }
  // From peer 1 to peer 2, of type 4, with four bytes behind the header.
  near.send(Uint8Array.of(1, 0, 0, 0, 2, 0, 0, 0, 4, 0, 1, 0, 4, 0, 0, 0, 0, 0, 0, 3))
  const sizes: number[] = []
  far.onPacket(({ length }) => void sizes.push(length))
  await until(() => sizes.includes(20))
  const before = sizes.indexOf(20)
  await until(() => sizes.length > before + 500)
  near.close()
  far.close()
  await Promise.all([near.closed, far.closed])
})

for (const length of [0, 15, 2001, 0xffffffff])
  test(`a frame of ${length} bytes closes the connection, after the valid ones before it`, async () => {
    const { port, links } = await listening()
    const client = await plainClient(port)
    const head = Buffer.alloc(4)
    head.writeUInt32LE(length)
    client.write(Buffer.concat([encodeTcpFrame(noise(16)), head, Buffer.alloc(64)]))
    await until(() => links.length === 1)
    let count = 0
    links[0]?.onPacket(() => {
      count += 1
    })
    await Promise.all([links[0]?.closed, once(client, 'close')])
    assert.is(count, 1)
  })

test('200 clients that send random bytes are closed, and a valid one is served meanwhile', async () => {
  const { port, links } = await listening()
  const good = await transports.dialTcp(at(port), never)
  await until(() => links.length === 1)
  const isServed = createDeferred<Uint8Array>()
  links[0]?.onPacket(isServed.resolve)
  const hostile = await Promise.all(Array.from({ length: 200 }, () => plainClient(port)))
  await Promise.all(
    hostile.map(async (client, i) => {
      const isClosed = new Promise((resolve) => client.once('close', resolve))
      // The first bytes make a length that is allowed now and then: more are needed to be sure of the end.
      client.resume().write(randomBytes(i === 0 ? 100_000 : 5000))
      await isClosed
    }),
  )
  good.send(noise(500))
  equalBytes(await isServed.promise, noise(500))
  await Promise.all(links.slice(1).map(({ closed }) => closed))
  good.close()
  await links[0]?.closed
})

test('a side that does not read loses packets instead of filling our memory, and stays connected', async () => {
  const served = createDeferred<Socket>()
  const server = await openSocketServer((socket) => served.resolve(socket.pause()))
  const link = await transports.dialTcp(at(server.port), never)
  const socket = await served.promise
  const total = 48 * 1024 * 1024
  for (let sent = 0; sent < total; sent += 2000) {
    link.send(noise(1000 + (sent % 1001)))
    if (sent % 200_000 === 0) await turn()
  }
  await turn(50)
  const reader = createPacketReader()
  let received = 0
  let last: Uint8Array | undefined
  socket.on('data', (chunk: Uint8Array) => {
    const isGood = reader.push(chunk, (packet) => {
      received += packet.length
      last = packet
    })
    assert.ok(isGood, 'the frames are whole')
  })
  socket.resume()
  await until(() => last !== undefined)
  const marker = noise(77)
  while (last?.length !== 77) {
    link.send(marker)
    await turn(5)
  }
  equalBytes(last, marker)
  // What the system itself buffers for both sides is a few MiB.
  assert.ok(received > 1_000_000 && received < 24 * 1024 * 1024, `${received} bytes were held`)
  link.close()
  await Promise.all([link.closed, server.close()])
})

test('of the shortest packets no more wait than are quickly taken', async () => {
  const [near, far] = await tcpPair(transports, stop.signal)
  for (let count = 0; count < 100_000; count++) near.send(new Uint8Array(16))
  let received = 0
  far.onPacket(() => {
    received += 1
  })
  await turn(50)
  near.close()
  await Promise.all([near.closed, far.closed])
  // Those that the socket takes, and 8,000.
  assert.ok(received > 8000 && received < 30_000, `${received} packets were held`)
})

test('a close does not wait for a side that does not read', async () => {
  const server = await openSocketServer((socket) => socket.pause())
  const link = await transports.dialTcp(at(server.port), never)
  for (let i = 0; i < 10_000; i++) link.send(noise(2000))
  await turn(50)
  link.close()
  await link.closed
  await server.close()
})

test('what was sent before the close reaches a side whose own packets were not read yet', async () => {
  let [received, far] = [0, undefined as Socket | undefined]
  const server = await openSocketServer((socket) => {
    far = socket.pause()
  })
  const link = await transports.dialTcp(at(server.port), never)
  await until(() => far !== undefined)
  far?.write(noise(1_000_000))
  link.send(noise(1000))
  link.close()
  await turn(20)
  far?.write(noise(1000))
  await turn(20)
  far?.on('data', (bytes) => {
    received += bytes.length
  })
  far?.resume()
  await link.closed
  assert.is(received, 1004)
  await server.close()
})

test('a dial that is aborted rejects with the reason, before, while and after connecting', async () => {
  const { port, links } = await listening()
  await endsBySignal((signal) => transports.dialTcp(at(port), signal))
  const connected = new AbortController()
  const link = await transports.dialTcp(at(port), connected.signal)
  connected.abort(new Error('changed my mind'))
  await turn(20)
  link.send(noise(16))
  await until(() => links.length > 0)
  const packet = createDeferred<Uint8Array>()
  for (const one of links) one.onPacket(packet.resolve)
  equalBytes(await packet.promise, noise(16))
  link.close()
  await Promise.all(links.map(({ closed }) => closed))
})

test('the signal closes a listener: its port is free at once, and accepted connections stay open', async () => {
  const { port, closed, links } = await listening()
  const near = await transports.dialTcp(at(port), never)
  await until(() => links.length === 1)
  stop.abort()
  await closed
  assert.is(await failure(transports.dialTcp(at(port), never)), 'connection refused')
  const again = new AbortController()
  const second = await transports.listenTcp(port, () => {}, again.signal)
  assert.is(second.port, port)
  const packet = createDeferred<Uint8Array>()
  links[0]?.onPacket(packet.resolve)
  near.send(noise(600))
  equalBytes(await packet.promise, noise(600))
  again.abort()
  near.close()
  await Promise.all([second.closed, links[0]?.closed])
})

test('a port that is taken cannot be listened on, and an aborted signal opens nothing', async () => {
  const { port } = await listening()
  assert.is(await failure(transports.listenTcp(port, () => {}, never)), 'the port is in use')
  const late = AbortSignal.abort(new Error('too late'))
  assert.is(await failure(transports.listenTcp(0, () => {}, late)), 'too late')
})

test('restricted to loopback, nothing listens on other addresses; otherwise both families are served', async () => {
  const open = loopback({ interfaces: undefined })
  const links: Connection[] = []
  const { port } = await open.listenTcp(0, (link) => void links.push(link), stop.signal)
  const near = await open.dialTcp(at(port), never)
  await until(() => links.length === 1)
  assert.is(links[0]?.remote.address, '127.0.0.1', 'an IPv4 client is seen as one')
  const six = await open.dialTcp({ address: '::1', port }, never).catch(() => undefined)
  if (six) {
    await until(() => links.length === 2)
    assert.is(links[1]?.remote.address, '::1')
  }
  const restricted = await listening()
  const elsewhere = transports.dialTcp({ address: '127.0.0.2', port: restricted.port }, never)
  assert.is(await failure(elsewhere), 'connection refused')
  for (const link of [near, six, ...links]) link?.close()
  await Promise.all([near, six, ...links].map((link) => link?.closed))
})

test('a dial from a chosen port can be repeated from it at once, also after STUN', async () => {
  const localPort = await freePort()
  const mapped = { address: '203.0.113.7', port: 4321 }
  const stun = await openSocketServer((socket) => {
    socket.on('data', (request: Uint8Array) => {
      const answer = encodeStunResponse(request.subarray(8, 20), mapped)
      socket.write(answer.subarray(0, 7))
      setTimeout(() => socket.write(answer.subarray(7)), 20)
    })
  })
  const { port, links } = await listening()
  for (let round = 0; round < 5; round++) {
    assert.equal(await transports.stunTcp(at(stun.port), localPort, never), mapped)
    const link = await transports.dialTcp(at(port), never, { localPort })
    assert.is(link.localPort, localPort)
    await until(() => links.length === round + 1)
    assert.is(links[round]?.remote.port, localPort)
    // Both ends at once, by a reset: the port would rest for a minute after an orderly close of ours.
    links[round]?.close()
    await Promise.all([link.closed, links[round]?.closed])
  }
  await stun.close()
})

test('STUN over TCP fails with a text when the answer is invalid, and by its signal', async () => {
  const answers: Record<string, (socket: Socket) => void> = {
    'no answer that can be read': (socket) => void socket.end(),
    'no answer that can be read ': (socket) => void socket.write(Buffer.alloc(20, 0xff)),
    'no answer that can be read  ': (socket) => void socket.write(encodeStunResponse(noise(12), at(1))),
  }
  for (const [words, answer] of Object.entries(answers)) {
    const server = await openSocketServer((socket) => socket.once('data', () => answer(socket)))
    const localPort = await freePort()
    assert.is(await failure(transports.stunTcp(at(server.port), localPort, never)), words.trim())
    await server.close()
  }
  const silent = await openSocketServer(() => {})
  const localPort = await freePort()
  await endsBySignal((signal) => transports.stunTcp(at(silent.port), localPort, signal), 30)
  await silent.close()
})

test('a reset closes the connection', async () => {
  const server = await openSocketServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
  const link = await transports.dialTcp(at(server.port), never)
  link.send(noise(16))
  await link.closed
  await server.close()
})

test.run()
