import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { createCarriers } from '../../core/adapters/carriers'
import { createSystemClock } from '../../core/adapters/systemClock'
import type { Carriers } from '../../core/room/overlay/carriers'
import { createOverlay } from '../../core/room/overlay/session/overlay'
import type { ByteStream } from '../../core/room/ports'
import { readRoomCode } from '../../core/room/roomCode'
import { silentLog } from './rooms'

// Two ends of a transfer for the bench, each a process of its own:
// `overlayWorker.mjs host|guest <way> <bytes> <room code> <relay>`, and `… plainHost|plainGuest tcp <bytes> <port>`.
// The guest tells when it is ready, and goes at SIGUSR2; both tell in the end what it cost them, as JSON.

const [role = '', way = '', size = '0', place = '', relay = ''] = process.argv.slice(2)
const total = Number(size)
const PIECE = new Uint8Array(randomBytes(64 * 1024))
const PORT = 25_565

const before = process.cpuUsage()
const startedAt = { cpu: before, wall: performance.now() }
function begin(): void {
  startedAt.cpu = process.cpuUsage()
  startedAt.wall = performance.now()
}
function tell(): void {
  const { user, system } = process.cpuUsage(startedAt.cpu)
  const seconds = (performance.now() - startedAt.wall) / 1000
  console.log(JSON.stringify({ event: 'done', seconds, cpuSeconds: (user + system) / 1e6 }))
}
const word = once(process, 'SIGUSR2')

if (role === 'host') await host()
else if (role === 'guest') await guest()
else if (role === 'plainHost') plainHost()
else await plainGuest()

async function host(): Promise<void> {
  await openOverlay().host({
    ...{ room: code(), privacy: 'open', roomPort: 13_448, exposed: { tcp: [PORT], udp: [] } },
    onStream: (stream) => void send(stream),
    onFlow: (flow) => flow.close(),
    signal: new AbortController().signal,
  })
  console.log('ready')
  await stay()
}

/** Until it is killed. */
function stay(): Promise<never> {
  return new Promise(() => setInterval(() => undefined, 1 << 30))
}

async function send(stream: ByteStream): Promise<void> {
  await stream.read()
  begin()
  for (let sent = 0; sent < total; sent += PIECE.length) await stream.write(PIECE)
  await stream.end()
  tell()
}

async function guest(): Promise<void> {
  const session = await openOverlay().join({
    ...{ room: code(), onStep: () => undefined, signal: new AbortController().signal },
  })
  const isThere = () => {
    const path = session.host.member.path
    return way === 'relay' ? path?.kind === 'relay' : path?.kind === 'direct' && path.carrier === way
  }
  while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 20))
  const stream = await session.dial(PORT)
  console.log('ready')
  await word
  begin()
  await stream.write(new Uint8Array([1]))
  let received = 0
  for (let bytes = await stream.read(); bytes; bytes = await stream.read()) received += bytes.length
  if (received < total) throw new Error(`${received} bytes`)
  tell()
  // The host has still to hear that all was read.
  await stay()
}

function openOverlay() {
  const clock = createSystemClock()
  const log = silentLog()
  const carriers = only(createCarriers({ lanInterfaces: ['127.0.0.1'], clock, log }))
  return createOverlay({
    ...{ carriers, clock, log, version: '0', isDirect: way !== 'relay', stunServers: [] },
    nodes: way === 'tcp' ? [] : [relay],
    randomBytes: (bytes) => new Uint8Array(randomBytes(bytes)),
  })
}

/** Leaves open the one way between members that is to be measured. */
function only(carriers: Carriers): Carriers {
  if (way !== 'udp') return way === 'tcp' ? { ...carriers, openUdp: openDeafUdp } : carriers
  const waits = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  return {
    ...carriers,
    lan: {
      announce: (_key, _port, signal) => waits(signal),
      discover: (_key, _tell, signal) => waits(signal),
    },
    dialTcp: (to, signal) => {
      if (!relay.endsWith(`:${to.port}`)) throw new Error('by udp alone')
      return carriers.dialTcp(to, signal)
    },
  }

  async function openDeafUdp(port: number) {
    return { ...(await carriers.openUdp(port)), send: () => undefined }
  }
}

function code() {
  const { code: room } = readRoomCode(place)
  if (!room) throw new Error(`no room code: ${place}`)
  return room
}

function plainHost(): void {
  const server = createServer({ noDelay: true }, async (socket) => {
    await once(socket, 'data')
    begin()
    for (let sent = 0; sent < total; sent += PIECE.length)
      if (!socket.write(PIECE)) await once(socket, 'drain')
    socket.end()
    await once(socket, 'finish')
    tell()
  })
  server.listen(Number(place), '127.0.0.1', () => console.log('ready'))
}

async function plainGuest(): Promise<void> {
  const socket = connect(Number(place), '127.0.0.1')
  await once(socket, 'connect')
  console.log('ready')
  await word
  begin()
  socket.write('x')
  let received = 0
  for await (const bytes of socket) received += bytes.length
  if (received < total) throw new Error(`${received} bytes`)
  tell()
  process.exit(0)
}
