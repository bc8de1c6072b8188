import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import { untilAborted } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import type { Transports } from '@lantern-room/easytier/transport'
import { echoAll } from '#support/network/byteStreams'
import { testCredentials } from '#support/room/testCredentials'
import { roomOf, testRoomNetwork } from '#support/room/testRoomNetwork'
import { silentLog } from '#support/values/testLog'

// Two ends of a transfer, each a process of its own, which may be on machines of their own:
// `transferWorker.mjs host <way> <place>` and `… guest <way> <place> <seconds> <down or up>`. Ways: `plain` (TCP of the system; the place is
// `<the host's address>:<port>`), `udp` and `tcp` (direct), `relay` and `tcpRelay` (the place is `<room code>,<node>`).
// The guest asks small questions on one connection: while nothing else goes, and then while the host fills another, or the guest a third.
// Both tell what that cost as a line of JSON; the host stays until it is killed.

const [role = '', way = '', place = '', seconds = '8', direction = 'down'] = process.argv.slice(2)
const [roomCode = '', node = ''] = place.split(',')
const [plainAddress = '', plainPort = ''] = place.split(':')
const BULK_PORT = way === 'plain' ? Number(plainPort) : 25_565
const PORTS = { bulk: BULK_PORT, echo: BULK_PORT + 1, up: BULK_PORT + 2 } as const
const PIECE = new Uint8Array(randomBytes(64 * 1024))
const QUESTION_BYTES = 64
const QUESTION_PAUSE_MS = 50
const IDLE_MS = 3000

const isRelayed = way === 'relay' || way === 'tcpRelay'
const transport = way.startsWith('tcp') ? 'tcp' : 'udp'

type Dial = (port: number) => Promise<ByteStream>

if (role === 'host') await host()
else await guest(await (way === 'plain' ? plainDial() : networkDial()))

async function host(): Promise<void> {
  const serve = (stream: ByteStream, port: number) =>
    void (port === PORTS.bulk ? fill(stream) : port === PORTS.up ? drain(stream) : echoAll(stream)).catch(
      () => undefined,
    )
  if (way === 'plain') {
    for (const port of Object.values(PORTS)) {
      const server = createServer({ noDelay: true }, (socket) => serve(plainStream(socket), port))
      await new Promise<void>((resolve) => server.listen(port, plainAddress, resolve))
    }
  } else {
    await openNetwork().host({
      room: roomOf(roomCode),
      roomPort: 13_448,
      exposed: { tcp: Object.values(PORTS), udp: [] },
      credentials: testCredentials(),
      onStream: (stream, { port }) => serve(stream, port),
      onFlow: (flow) => flow.close(),
      signal: new AbortController().signal,
    })
  }
  console.log('ready')
  setInterval(() => undefined, 1 << 30)
}

/** Until the other side has enough. */
async function fill(stream: ByteStream): Promise<void> {
  await stream.read()
  const tell = stopwatch()
  try {
    for (;;) await stream.write(PIECE)
  } finally {
    tell({})
  }
}

/** Until the other side ends, which is told. */
async function drain(stream: ByteStream): Promise<void> {
  const tell = stopwatch()
  tell(await receive(stream, Number.POSITIVE_INFINITY))
}

/** @param until in the system's time, in milliseconds */
async function receive(stream: ByteStream, until: number) {
  const startedAt = performance.now()
  const perSecond: number[] = []
  let received = 0
  while (Date.now() < until) {
    const bytes = await stream.read().catch(() => undefined)
    if (!bytes) break
    received += bytes.length
    const second = Math.floor((performance.now() - startedAt) / 1000)
    perSecond[second] = (perSecond[second] ?? 0) + bytes.length
  }
  return { received, took: (performance.now() - startedAt) / 1000, perSecond }
}

async function guest(dial: Dial): Promise<void> {
  const questions = await dial(PORTS.echo)
  await ask(questions, Date.now() + 500)
  const idle = await ask(questions, Date.now() + IDLE_MS)
  const isDown = direction === 'down'
  const bulk = await dial(isDown ? PORTS.bulk : PORTS.up)
  const tell = stopwatch()
  await bulk.write(PIECE.subarray(0, 1))
  const until = Date.now() + Number(seconds) * 1000
  const asking = ask(questions, until)
  const told = isDown ? await receive(bulk, until) : await send(bulk, until)
  const busy = await asking
  bulk.destroy()
  tell({ ...told, idle, busy })
  // The host hears of the end by this.
  await sleep(500)
  process.exit(0)
}

async function send(stream: ByteStream, until: number): Promise<object> {
  while (Date.now() < until) await stream.write(PIECE)
  return {}
}

/** Round trips of small questions, one after the other, in milliseconds. */
async function ask(stream: ByteStream, until: number): Promise<readonly number[]> {
  const times: number[] = []
  while (Date.now() < until) {
    const askedAt = performance.now()
    await stream.write(new Uint8Array(QUESTION_BYTES))
    for (let missing = QUESTION_BYTES; missing > 0; ) missing -= (await stream.read())?.length ?? missing
    times.push(performance.now() - askedAt)
    await sleep(QUESTION_PAUSE_MS)
  }
  return times
}

function stopwatch() {
  const before = process.cpuUsage()
  return (figures: object) => {
    const { user, system } = process.cpuUsage(before)
    const memory = process.resourceUsage().maxRSS / 1024
    console.log(JSON.stringify({ event: 'done', cpuSeconds: (user + system) / 1e6, memory, ...figures }))
  }
}

async function plainDial(): Promise<Dial> {
  return async (port) => {
    const socket = connect({ host: plainAddress, port, noDelay: true })
    await once(socket, 'connect')
    return plainStream(socket)
  }
}

/** A socket of the system with as little around it as can be. */
function plainStream(socket: Socket): ByteStream {
  const pieces: AsyncIterator<Buffer> = socket[Symbol.asyncIterator]()
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => socket.destroy())
  return {
    closed,
    read: async () => (await pieces.next()).value,
    async write(bytes) {
      if (socket.write(bytes)) return
      await Promise.race([once(socket, 'drain'), closed])
      if (socket.destroyed) throw new Error('the stream is closed')
    },
    end() {
      socket.end()
      return closed
    },
    destroy: () => void socket.destroy(),
  }
}

async function networkDial(): Promise<Dial> {
  const session = await openNetwork().join({
    room: roomOf(roomCode),
    onStep: () => undefined,
    signal: new AbortController().signal,
  })
  const isThere = () => {
    const path = session.status().path
    return path?.transport === transport && path.kind === (isRelayed ? 'relay' : 'direct')
  }
  while (!isThere()) await sleep(20)
  return (port) => session.dial(port)
}

function openNetwork() {
  const clock = createSystemClock()
  const log = silentLog()
  // On loopback nothing is announced to other machines.
  const lanInterfaces = node.includes('//127.0.0.1:') ? ['127.0.0.1'] : undefined
  const transports = createNodeTransports({ lanInterfaces, clock, log })
  return testRoomNetwork({
    clock,
    isDirect: !isRelayed,
    nodes: [node],
    transports: transport === 'udp' ? byUdpAlone(transports, node) : byTcpAlone(transports),
  })
}

/** Members reach each other by UDP and nothing else. @param node the shared node, which may be dialled by TCP, too */
function byUdpAlone(transports: Transports, node: string): Transports {
  return {
    ...transports,
    lan: {
      announce: (_key, _port, signal) => untilAborted(signal),
      discover: (_key, _tell, signal) => untilAborted(signal),
    },
    dialTcp: (to, signal) => {
      if (!node.endsWith(`:${to.port}`)) throw new Error('by udp alone')
      return transports.dialTcp(to, signal)
    },
  }
}

/** Members reach each other by TCP and nothing else: their sockets of UDP are mute. */
function byTcpAlone(transports: Transports): Transports {
  return {
    ...transports,
    openUdp: async (port) => ({ ...(await transports.openUdp(port)), send: () => undefined }),
  }
}
