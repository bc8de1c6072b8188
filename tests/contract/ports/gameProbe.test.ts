import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createGameProbe } from '@lantern-room/adapters/game'
import { createSystemClock } from '@lantern-room/adapters/system'
import { legacyPing, modernPing } from '@lantern-room/game'
import type { GameStatus } from '@lantern-room/game/ports'
import { openPort } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'
import { legacyPacket, statusPacket } from '../../unit/game/pingBytes'
import { openPipes } from './leaks'

const test = suite('Game probe', { timeoutMs: 20_000 })

const clock = createSystemClock()
const pings = [modernPing, legacyPing]
/** What ends by its limit takes a minute, what ends at once less than a third of that on any machine. */
const probe = createGameProbe({ pings, timeoutMs: 60_000, clock })
const AT_ONCE_MS = 20_000
/** For servers that never answer. */
const LIMIT_MS = 12_000
const hasty = createGameProbe({ pings, timeoutMs: LIMIT_MS, clock })
const running = new AbortController().signal

const status = statusPacket(
  JSON.stringify({
    version: { name: '1.20.4' },
    players: { online: 2, max: 8 },
    description: { text: 'A ', extra: ['world'] },
  }),
)
const modern = { by: 'modern', motd: 'A world', version: '1.20.4', onlinePlayers: 2, maxPlayers: 8 }
const legacyAnswer = legacyPacket('§1\x00127\x001.5.2\x00Old world\x001\x005')
const legacy = { by: 'legacy', motd: 'Old world', version: '1.5.2', onlinePlayers: 1, maxPlayers: 5 }
const nothing = { motd: undefined, version: undefined, onlinePlayers: undefined, maxPlayers: undefined }
const connected = { by: 'connect', ...nothing }

let open: readonly string[]
/** Each with its connections. */
const servers = new Map<Server, Set<Socket>>()
/** The first bytes of each connection. */
let requests: Buffer[]

test.before.each(() => {
  open = openPipes()
  requests = []
})
test.after.each(async () => {
  await closeServers()
  assert.equal(openPipes(), open)
})

/** The probe has closed its connections, so that a server has nothing left to close but what it has not noticed yet. */
async function closeServers(): Promise<void> {
  for (const [server, sockets] of servers) {
    server.close()
    await once(server, 'close')
    while (sockets.size > 0) await new Promise((resolve) => setImmediate(resolve))
  }
  servers.clear()
}

type Answer = (socket: Socket, request: Buffer) => void

/** Runs `answer` for each connection, with the first bytes that came. */
async function serve(answer: Answer): Promise<{ address: string; port: number }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    socket.once('data', (request) => {
      requests.push(request)
      answer(socket, request)
    })
    socket.on('data', () => {})
  })
  servers.set(server, sockets)
  return { address: '127.0.0.1', port: await openPort(server) }
}

/** A handshake of version -1 that asks 127.0.0.1 for its status, and the request for it. */
function statusRequest(port: number): Buffer {
  const version = [0xff, 0xff, 0xff, 0xff, 0x0f]
  const address = Buffer.from('127.0.0.1')
  return Buffer.from([19, 0, ...version, 9, ...address, port >> 8, port & 0xff, 1, 1, 0])
}

const isLegacy = (request: Buffer) => request[0] === 0xfe

async function measured(work: Promise<GameStatus | undefined>) {
  const startedAt = performance.now()
  return { answer: await work, ms: performance.now() - startedAt }
}

test('a modern server gets one ping, and its status is read', async () => {
  const at = await serve((socket) => socket.write(status))
  assert.equal(await probe(at, running), modern)
  assert.equal(requests, [statusRequest(at.port)])
})

test('an answer in single bytes is read', async () => {
  const at = await serve(async (socket) => {
    for (const byte of status) {
      if (socket.destroyed) return
      await new Promise((resolve) => socket.write(Uint8Array.of(byte), resolve))
    }
  })
  assert.equal(await probe(at, running), modern)
})

test('a server may close after its answer', async () => {
  const at = await serve((socket) => socket.end(status))
  assert.equal(await probe(at, running), modern)
})

test('an old server, which closes at an unknown ping, gets the old one', async () => {
  const at = await serve((socket, request) => {
    if (isLegacy(request)) socket.end(legacyAnswer)
    else socket.destroy()
  })
  assert.equal(await probe(at, running), legacy)
  assert.equal(requests[1], Buffer.of(0xfe, 0x01))
})

test('an old server that ignores an unknown ping gets the old one in time', async () => {
  const at = await serve((socket, request) => {
    if (isLegacy(request)) socket.end(legacyAnswer)
  })
  assert.equal(await hasty(at, running), legacy)
})

test('an answer is read up to 1 MiB; a longer one is no answer', async () => {
  const sizes: number[] = []
  const patient = {
    request: () => Buffer.of(1),
    read(bytes: Uint8Array) {
      sizes.push(bytes.length)
      return 'partial' as const
    },
  }
  const at = await serve((socket) => socket.write(new Uint8Array(2 * 1024 * 1024)))
  assert.equal(await createGameProbe({ pings: [patient], clock })(at, running), connected)
  assert.ok(Math.max(...sizes) <= 1024 * 1024)
  assert.ok(Math.max(...sizes) > 900_000)
})

test('a port without a listener is reported at once', async () => {
  const at = await serve(() => {})
  await closeServers()
  const { answer, ms } = await measured(probe(at, running))
  assert.is(answer, undefined)
  assert.ok(ms < AT_ONCE_MS, `${ms} ms`)
})

/** Seven bits in each byte, the lowest first. */
function encodeVarint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...encodeVarint(value >>> 7)]
}

const huge = [...encodeVarint(2 ** 31 - 1), 0, ...encodeVarint(2 ** 31 - 1)]
const liars: Readonly<Record<string, Answer>> = {
  'never answers': () => {},
  'announces 2 GB': (socket) => socket.write(Uint8Array.from(huge)),
  'announces 500 KB and sends none': (socket) => socket.write(Uint8Array.from([...encodeVarint(500_000), 0])),
  'closes at once': (socket) => socket.destroy(),
  'closes in order': (socket) => socket.end(),
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'closes in the middle of its answer': (socket) => socket.end(status.subarray(0, 30)),
  'sends HTTP': (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  'sends JSON that is none': (socket) => socket.write(statusPacket('{"description":')),
  'sends without end': (socket) => flood(socket, new Uint8Array(65_536)),
  'sends a packet of 500 KB in drops': (socket) => {
    socket.write(Uint8Array.from([...encodeVarint(500_000), 0, ...encodeVarint(499_990)]))
    drip(socket)
  },
  'says that 65,535 old characters follow': (socket) => socket.write(Uint8Array.of(0xff, 0xff, 0xff, 0, 65)),
}

test('programs that answer nothing or nonsense count when they accept connections, within the limit', async () => {
  const probed = Object.entries(liars).map(async ([what, answer]) => {
    const { answer: found, ms } = await measured(hasty(await serve(answer), running))
    assert.equal(found, connected, what)
    // The pings have three quarters of it, and the connect succeeds at once; with a limit for each ping it were twice as much.
    assert.ok(ms < 1.7 * LIMIT_MS, `${what}: ${ms} ms`)
  })
  await Promise.all(probed)
})

test('the signal ends a probe at once, in each step', async () => {
  let legacyFollows = false
  const at = await serve((socket, request) => {
    // The old ping comes when the new one has failed.
    if (legacyFollows && !isLegacy(request)) socket.destroy()
  })
  for (const step of ['connecting', 'modern', 'legacy'] as const) {
    legacyFollows = step === 'legacy'
    const before = requests.length
    const stop = new AbortController()
    const reason = new Error('stopped')
    const failed = probe(at, stop.signal).catch((error: unknown) => error)
    const wanted = before + ['connecting', 'modern', 'legacy'].indexOf(step)
    while (requests.length < wanted) await new Promise((resolve) => setImmediate(resolve))
    const startedAt = performance.now()
    stop.abort(reason)
    assert.is(await failed, reason)
    assert.ok(performance.now() - startedAt < AT_ONCE_MS)
  }
  const reason = new Error('before')
  assert.is(await probe(at, AbortSignal.abort(reason)).catch((error: unknown) => error), reason)
})

test('50 probes at once of servers that answer, and of one that does not, leave no socket', async () => {
  const at = await serve((socket) => {
    if (requests.length % 2 === 0) socket.write(status)
  })
  const answers = await Promise.all(Array.from({ length: 50 }, () => hasty(at, new AbortController().signal)))
  assert.ok(answers.every((answer) => answer !== undefined))
})

function flood(socket: Socket, bytes: Uint8Array): void {
  const more = () => {
    while (!socket.destroyed && socket.write(bytes));
  }
  socket.on('drain', more)
  more()
}

function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write('x'), 1)
  socket.once('close', () => clearInterval(timer))
}

test.run()
