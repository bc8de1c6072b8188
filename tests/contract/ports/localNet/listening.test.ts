import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { createLocalNet, isPortFree } from '@lantern-room/adapters/localNet'
import { createSystemClock } from '@lantern-room/adapters/system'
import type { ByteStream } from '@lantern-room/base/bytes'
import { hasIpv6 } from '#support/network/interfaceInfo'
import { openPort } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'
import { text } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { rejectedRefusal, rejection } from '#support/values/failures'
import { closesItsSockets } from '../leaks'

const test = suite('LocalNet: listening', { timeoutMs: 30_000 })

const net = createLocalNet({ clock: createSystemClock(), lanInterfaces: ['127.0.0.1'] })
const withIpv6 = test.skipUnless(hasIpv6, 'this machine has no ::1')
let stop: AbortController

test.before.each(() => {
  stop = new AbortController()
})
closesItsSockets(test, () => stop.abort())

/** A port that is taken at this address is passed over for the next one. */
async function isPassedOver(host: string): Promise<void> {
  const taken = await occupy(host)
  const { port, closed } = await net.listen([taken.port, 0], (stream) => stream.destroy(), stop.signal)
  assert.is.not(port, taken.port)
  assert.ok(port > 0)
  stop.abort()
  await closed
  await taken.close()
}

test('a port that is taken is passed over for the next one', () => isPassedOver('127.0.0.1'))

test('a port that a program has on all addresses is taken', () => isPassedOver('0.0.0.0'))

withIpv6('a port that is taken in IPv6 alone is passed over as well', () => isPassedOver('::1'))

test('when no port can be used the error says which were tried', async () => {
  const taken = await occupy('127.0.0.1')
  const listening = net.listen([taken.port], (stream) => stream.destroy(), stop.signal)
  assert.match((await rejectedRefusal(listening, 'unavailable')).detail, String(taken.port))
  await taken.close()
})

withIpv6('IPv4 and IPv6 clients reach the same port', async () => {
  const { port, closed } = await net.listen([0], (stream) => void stream.write(text('hello')), stop.signal)
  for (const host of ['127.0.0.1', '::1']) {
    const socket = connect({ host, port })
    const [bytes] = await once(socket, 'data')
    equalBytes(bytes, text('hello'))
    socket.destroy()
    await once(socket, 'close')
  }
  stop.abort()
  await closed
})

withIpv6('a program that listens in IPv6 alone is reached', async () => {
  const server = await occupy('::1')
  const stream = await net.connect(server.port)
  await stream.end()
  await server.close()
})

test('the signal closes the port and every stream, and closed tells when that is done', async () => {
  const streams: ByteStream[] = []
  const listening = await net.listen([0], (stream) => streams.push(stream), stop.signal)
  const near = await Promise.all(Array.from({ length: 20 }, () => net.connect(listening.port)))
  while (streams.length < near.length) await new Promise((resolve) => setImmediate(resolve))
  const reading = Promise.allSettled([...near, ...streams].map((stream) => stream.read()))
  stop.abort()
  await listening.closed
  await Promise.all([...near, ...streams].map((stream) => stream.closed))
  await reading
  assert.instance(await rejection(net.connect(listening.port)), Error)
  // The port is free for the next attempt.
  const again = new AbortController()
  const second = await net.listen([listening.port], (stream) => stream.destroy(), again.signal)
  assert.is(second.port, listening.port)
  again.abort()
  await second.closed
})

test('with an aborted signal nothing is opened', async () => {
  const reason = new Error('stopped')
  const listening = net.listen([0], (stream) => stream.destroy(), AbortSignal.abort(reason))
  assert.is(await rejection(listening), reason)
})

test('a signal that aborts while the port is opened leaves nothing open', async () => {
  const reason = new Error('stopped')
  const listening = net.listen([0], (stream) => stream.destroy(), stop.signal)
  stop.abort(reason)
  assert.is(await rejection(listening), reason)
})

for (const host of ['127.0.0.1', '0.0.0.0'])
  test(`a port is in use while a program listens on it at ${host}, and free before and after`, async () => {
    const taken = await occupy(host)
    assert.is(await isPortFree(taken.port), false)
    await taken.close()
    assert.is(await isPortFree(taken.port), true)
    assert.is(await isPortFree(taken.port), true, 'asking leaves it free')
  })

async function occupy(host: string) {
  const server = createServer((socket) => socket.on('error', () => {}).end())
  return { port: await openPort(server, host), close: () => once(server.close(), 'close') }
}

test.run()
