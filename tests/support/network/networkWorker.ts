import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import type { ByteStream } from '@lantern-room/base'
import type { Transports } from '@lantern-room/easytier/transport'
import { connectTcp } from '#internal/adapters/network/connectTcp'
import { socketStream } from '#internal/adapters/network/socketStream'
import { testCredentials } from '#support/room/testCredentials'
import { median } from '../../bench/measure'
import { roomOf, testRoomNetwork } from '../room/testRoomNetwork'
import { silentLog } from '../values/testLog'
import { byTcpAlone, byUdpAlone } from './byOneTransport'

// Two ends of a transfer for the bench, each a process of its own:
// `networkWorker.mjs host|guest <way> <bytes> <room code> <relay>`, and `… plainHost|plainGuest tcp <bytes> <port>`.
// The guest tells when it is ready, and goes at SIGUSR2: first small messages to and fro, then the transfer with such
// messages on a second stream. Both tell in the end what it cost them, as JSON.

const [role = '', way = '', size = '0', place = '', relay = ''] = process.argv.slice(2)
const total = Number(size)
const PIECE = new Uint8Array(randomBytes(64 * 1024))
const PORT = 25_565
/** The first byte of a stream says what it is for. */
const BULK = 1
const ECHO = 2

const before = process.cpuUsage()
const startedAt = { cpu: before, wall: performance.now() }
function begin(): void {
  startedAt.cpu = process.cpuUsage()
  startedAt.wall = performance.now()
}
function tell(latency: { readonly idleMs: number; readonly busyMs: number } | undefined): void {
  const { user, system } = process.cpuUsage(startedAt.cpu)
  const seconds = (performance.now() - startedAt.wall) / 1000
  const megabytes = process.resourceUsage().maxRSS / 1024
  console.log(
    JSON.stringify({ event: 'done', seconds, cpuSeconds: (user + system) / 1e6, megabytes, ...latency }),
  )
}
const word = once(process, 'SIGUSR2')

if (role === 'host') await host()
else if (role === 'guest') await guest()
else if (role === 'plainHost') plainHost()
else await plainGuest()

async function host(): Promise<void> {
  await openNetwork().host({
    room: roomOf(place),
    roomPort: 13_448,
    exposed: { tcp: [PORT], udp: [] },
    credentials: testCredentials(),
    onStream: (stream) => void serve(stream),
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

async function serve(stream: ByteStream): Promise<void> {
  const [purpose] = (await stream.read()) ?? []
  if (purpose === ECHO) {
    await stream.write(new Uint8Array([ECHO]))
    for (let bytes = await stream.read(); bytes; bytes = await stream.read()) await stream.write(bytes)
    return
  }
  begin()
  for (let sent = 0; sent < total; sent += PIECE.length) await stream.write(PIECE)
  await stream.end()
  tell(undefined)
}

async function guest(): Promise<void> {
  const session = await openNetwork().join({
    room: roomOf(place),
    onStep: () => undefined,
    signal: new AbortController().signal,
  })
  const isThere = () => {
    const path = session.status().path
    return way === 'relay' ? path?.kind === 'relay' : path?.kind === 'direct' && path.transport === way
  }
  while (!isThere()) await sleep(20)
  await fetchAll(() => session.dial(PORT))
}

async function fetchAll(dial: () => Promise<ByteStream>): Promise<void> {
  const echo = await dial()
  await roundTrip(echo, ECHO)
  const stream = await dial()
  console.log('ready')
  await word
  const idle: number[] = []
  for (let count = 0; count < 100; count += 1) idle.push(await roundTrip(echo, count))
  begin()
  const busy: number[] = []
  let isOver = false
  const messages = async () => {
    while (!isOver) {
      busy.push(await roundTrip(echo, busy.length))
      await sleep(20)
    }
  }
  await stream.write(new Uint8Array([BULK]))
  const talking = messages()
  let received = 0
  for (let bytes = await stream.read(); bytes; bytes = await stream.read()) received += bytes.length
  if (received < total) throw new Error(`${received} bytes`)
  isOver = true
  tell({ idleMs: median(idle), busyMs: median(busy) })
  await talking
  // The host has still to hear that all was read.
  await stay()
}

/** Milliseconds that a small message takes to come back. */
async function roundTrip(stream: ByteStream, byte: number): Promise<number> {
  const sentAt = performance.now()
  await stream.write(new Uint8Array([byte & 255]))
  if (!(await stream.read())) throw new Error('the echo is gone')
  return performance.now() - sentAt
}

function openNetwork() {
  const clock = createSystemClock()
  const log = silentLog()
  const transports = only(createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log }))
  return testRoomNetwork({
    transports,
    clock,
    isDirect: way !== 'relay',
    nodes: way === 'tcp' ? [] : [relay],
  })
}

/** Leaves open the one way between members that is to be measured. */
function only(transports: Transports): Transports {
  if (way === 'udp') return byUdpAlone(transports, relay)
  return way === 'tcp' ? byTcpAlone(transports) : transports
}

function plainHost(): void {
  const server = createServer({ noDelay: true }, (socket) => void serve(socketStream(socket)))
  server.listen(Number(place), '127.0.0.1', () => console.log('ready'))
}

async function plainGuest(): Promise<void> {
  const to = { address: '127.0.0.1', port: Number(place) }
  await fetchAll(async () => socketStream(await connectTcp(to, {})))
}
