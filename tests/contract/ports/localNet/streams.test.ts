import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createLocalNet } from '@lantern-room/adapters/localNet'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createDeferred } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { openPort } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'
import { noise, text } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { rejection } from '#support/values/failures'
import { hasResolved } from '#support/values/hasResolved'
import { closesItsSockets } from '../leaks'

const test = suite('LocalNet: streams', { timeoutMs: 60_000 })

const net = createLocalNet({ clock: createSystemClock(), lanInterfaces: ['127.0.0.1'] })
let stop: AbortController
let endings: Promise<unknown>[]

test.before.each(() => {
  stop = new AbortController()
  endings = []
})
closesItsSockets(test, () => {
  stop.abort()
  return Promise.all(endings)
})

/** A port, and the first stream that comes to it. */
async function listening() {
  const accepted = createDeferred<ByteStream>()
  const { port, closed } = await net.listen([0], accepted.resolve, stop.signal)
  endings.push(closed)
  return { port, accepted: accepted.promise }
}

/** A stream at each end of one connection. */
async function pair(): Promise<{ near: ByteStream; far: ByteStream }> {
  const { port, accepted } = await listening()
  const near = await net.connect(port)
  endings.push(near.closed)
  return { near, far: await accepted }
}

/** A stream of ours against a plain socket, which a test can be rude with. */
async function withSocket(): Promise<{ stream: ByteStream; socket: Socket }> {
  const { port, accepted } = await listening()
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  endings.push(once(socket, 'close'))
  await once(socket, 'connect')
  return { stream: await accepted, socket }
}

test('50 MB arrive byte for byte both ways at once, and the orderly end after them', async () => {
  const { near, far } = await pair()
  const piece = randomBytes(1_000_003)
  const pieces = 50
  const expected = createHash('sha256')
  for (let i = 0; i < pieces; i++) expected.update(piece)
  const digest = expected.digest('hex')

  const send = async (stream: ByteStream) => {
    for (let i = 0; i < pieces; i++) await stream.write(piece)
  }
  const receive = async (stream: ByteStream) => {
    const hash = createHash('sha256')
    for (let left = pieces * piece.length; left > 0; ) {
      const bytes = await stream.read()
      if (bytes === undefined) break
      hash.update(bytes)
      left -= bytes.length
    }
    return hash.digest('hex')
  }
  const [, , there, back] = await Promise.all([send(near), send(far), receive(far), receive(near)])
  assert.is(there, digest)
  assert.is(back, digest)
  const ended = near.end()
  assert.is(await far.read(), undefined)
  await Promise.all([ended, far.end()])
})

test('chunks of every size arrive whole, without empty ones', async () => {
  const { near, far } = await pair()
  const sizes = [1, 2, 3, 1400, 65_535, 65_536, 65_537, 0, 262_144, 300_000]
  const all = noise(sizes.reduce((sum, size) => sum + size, 0))
  let at = 0
  const sent = (async () => {
    for (const size of sizes) {
      await near.write(all.subarray(at, at + size))
      at += size
    }
    await near.end()
  })()
  equalBytes(await readAll(far), all)
  await far.end()
  await sent
})

test('a writer waits while the other side does not read, and the queue is bounded', async () => {
  const { near, far } = await pair()
  const piece = new Uint8Array(64 * 1024)
  let written = 0
  let isDone = false
  const writing = (async () => {
    while (!isDone) {
      await near.write(piece)
      written += piece.length
    }
  })()
  const held = await steady(() => written)
  // The system buffers a few megabytes for a connection on loopback.
  assert.ok(held < 32 * 1024 * 1024, `${held} bytes were taken`)
  isDone = true
  const received = readAll(far)
  await writing
  await near.end()
  assert.is((await received).length, written)
})

test('the end delivers everything to a side that sends without reading first', async () => {
  const { stream, socket } = await withSocket()
  const all = noise(300_000)
  // Unread bytes at the closing side: closed at once, the system would answer them with a reset.
  socket.write(noise(500_000))
  await pause(100)
  const ended = stream.write(all).then(() => stream.end())
  socket.write(noise(500_000))
  const received: Uint8Array[] = []
  socket.on('data', (bytes: Buffer) => received.push(bytes))
  await once(socket, 'end')
  equalBytes(Buffer.concat(received), all)
  socket.end()
  await ended
})

test('after an orderly close of the other side, each read returns the end, and writes are refused', async () => {
  const { near, far } = await pair()
  await far.write(text('last words'))
  const ended = far.end()
  equalBytes((await near.read()) ?? text(''), text('last words'))
  assert.is(await near.read(), undefined)
  assert.is(await near.read(), undefined)
  await ended
  await near.closed
  await rejects(near.write(text('x')))
})

test('until the end has been read, earlier bytes stay readable, and writes do not fail', async () => {
  const { stream, socket } = await withSocket()
  socket.end(noise(200_000))
  await pause(100)
  const isClosed = hasResolved(stream.closed)
  for (let i = 0; i < 10; i++) {
    await stream.write(noise(1000))
    await pause(5)
  }
  assert.not.ok(isClosed())
  equalBytes(await readAll(stream), noise(200_000))
  await rejects(stream.write(text('x')))
  socket.resume()
  await stream.closed
})

test('after our own end writes and reads are over, and a second end has no effect', async () => {
  const { near, far } = await pair()
  const pending = near.read()
  const ended = near.end()
  assert.is(await pending, undefined)
  await rejects(near.write(text('x')))
  assert.is(await far.read(), undefined)
  await Promise.all([ended, near.end(), far.end(), near.end()])
  near.destroy()
})

test('destroy rejects a waiting read and a waiting write', async () => {
  const { near, far } = await pair()
  const reading = rejects(near.read())
  const piece = new Uint8Array(1024 * 1024)
  const writing = rejects(
    (async () => {
      for (;;) await near.write(piece)
    })(),
  )
  await pause(100)
  near.destroy()
  near.destroy()
  await Promise.all([reading, writing, near.closed])
  await rejects(near.read())
  await rejects(near.write(text('x')))
  await near.end()
  far.destroy()
})

test('a reset breaks the stream, after the bytes that had arrived', async () => {
  const { stream, socket } = await withSocket()
  socket.write('before')
  await pause(100)
  socket.resetAndDestroy()
  await stream.closed
  equalBytes((await stream.read()) ?? text(''), text('before'))
  await rejects(stream.read())
  await rejects(stream.write(text('x')))
  await stream.end()
})

test('a second read at the same time is an error, and does not disturb the first', async () => {
  const { near, far } = await pair()
  const first = near.read()
  await rejects(near.read())
  await far.write(text('x'))
  equalBytes((await first) ?? text(''), text('x'))
  near.destroy()
})

test('a refused connection is an error', async () => {
  const server = createServer()
  const port = await openPort(server)
  server.close()
  await rejects(net.connect(port))
})

test('connecting ends with its signal, before and after the call', async () => {
  const { port, closed } = await net.listen([0], (stream) => stream.destroy(), stop.signal)
  endings.push(closed)
  const reason = new Error('stopped')
  assert.is(await rejection(net.connect(port, AbortSignal.abort(reason))), reason)
  const late = new AbortController()
  const connecting = net.connect(port, late.signal)
  late.abort(reason)
  assert.is(await rejection(connecting), reason)
})

async function readAll(stream: ByteStream): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for (let bytes = await stream.read(); bytes; bytes = await stream.read()) {
    assert.ok(bytes.length > 0)
    pieces.push(bytes)
  }
  return Buffer.concat(pieces)
}

async function rejects(work: Promise<unknown>): Promise<void> {
  assert.instance(await rejection(work), Error)
}

/** The value once it has not changed for 300 ms. */
async function steady(value: () => number): Promise<number> {
  for (let before = -1; ; await pause(300)) {
    const now = value()
    if (now === before && now > 0) return now
    before = now
  }
}

test.run()
