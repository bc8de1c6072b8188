import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import { Network } from '@lantern-room/easytier'
import type { Transports } from '@lantern-room/easytier/transport'
import { playerSettings } from '#support/network/playerSettings'
import { testCredentials } from '#support/room/testCredentials'
import { roomOf, testRoomNetwork } from '#support/room/testRoomNetwork'
import { silentLog } from '#support/values/testLog'

// Many members for the bench, in few processes:
// `scaleWorker.mjs host <room code> <relay>` answers each datagram;
// `scaleWorker.mjs guests <room code> <relay> <guests> <seconds>` sends 60 a second from each, and tells how long they took;
// `scaleWorker.mjs idlers <rooms> <port of the relay>` keeps two silent members in each room, and counts their bytes.

const [role = '', ...rest] = process.argv.slice(2)
const PORT = 24_454
const EVERY_MS = 1000 / 60
const SIZE = 200
const SETTLE_MS = 5000
const clock = createSystemClock()
const bytesOf = (size: number) => new Uint8Array(randomBytes(size))

if (role === 'host') await host(rest)
else if (role === 'guests') await guests(rest)
else await idlers(rest)

async function host([code = '', relay = '']: readonly string[]): Promise<void> {
  await roomNetwork(relay).host({
    room: roomOf(code),
    roomPort: 13_448,
    exposed: { tcp: [], udp: [PORT] },
    credentials: testCredentials(),
    onStream: (stream) => stream.destroy(),
    onFlow: (flow) => flow.onDatagram((bytes) => flow.send(bytes)),
    signal: new AbortController().signal,
  })
  console.log('ready')
  setInterval(() => undefined, 1 << 30)
}

async function guests([code = '', relay = '', count = '', seconds = '']: readonly string[]): Promise<void> {
  const flows = await Promise.all(
    Array.from({ length: Number(count) }, async () => {
      const order = { room: roomOf(code), onStep: () => undefined, signal: new AbortController().signal }
      const session = await roomNetwork(relay).join(order)
      while (session.status().path?.kind !== 'direct') await sleep(20)
      return session.datagrams(PORT)
    }),
  )
  const tookMs: number[] = []
  let sent = 0
  for (const flow of flows)
    flow.onDatagram((bytes) =>
      tookMs.push(performance.now() - new DataView(bytes.slice().buffer).getFloat64(0)),
    )
  console.log('ready')
  // A game is measured, not the moment in which twenty join at once.
  await sleep(SETTLE_MS)
  const talking = flows.map(async (flow, at) => {
    // Players do not send in step.
    await sleep((EVERY_MS * at) / flows.length)
    const start = performance.now()
    for (let number = 0; number < Number(seconds) * 60; number += 1) {
      const bytes = new Uint8Array(SIZE)
      new DataView(bytes.buffer).setFloat64(0, performance.now())
      flow.send(bytes)
      sent += 1
      await sleep(Math.max(0, start + (number + 1) * EVERY_MS - performance.now()))
    }
  })
  await Promise.all(talking)
  await sleep(500)
  console.log(JSON.stringify({ event: 'done', sent, tookMs: tookMs.map((ms) => Number(ms.toFixed(3))) }))
}

function roomNetwork(relay: string) {
  const transports = createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() })
  return testRoomNetwork({ transports, clock, nodes: [relay], randomBytes: bytesOf })
}

async function idlers([rooms = '', port = '']: readonly string[]): Promise<void> {
  const counted = { sent: 0, received: 0 }
  const members: Network[] = []
  const transports = countingTransports(counted)
  for (let number = 0; number < Number(rooms); number += 1)
    for (const name of ['host', 'guest'])
      members.push(await idler(`room ${number}`, name, Number(port), transports))
  while (members.some((member) => member.peers().length < 2)) await sleep(100)
  console.log('ready')
  process.on('SIGUSR2', () => console.log(JSON.stringify({ event: 'counted', ...counted })))
}

/** A member with a connection to the shared node and nothing else. */
function idler(name: string, hostname: string, port: number, transports: Transports): Promise<Network> {
  return Network.open(
    {
      ...playerSettings(1),
      identity: { name, secret: name },
      lan: { key: name, announces: false },
      clock,
      randomBytes: bytesOf,
      hostname,
      address: hostname === 'host' ? '10.144.144.1' : '10.144.144.2',
      version: '0',
      nodes: [`tcp://127.0.0.1:${port}`],
      stunServers: [],
      isDirect: false,
      transports,
    },
    new AbortController().signal,
  )
}

/** Connections to shared nodes by TCP, whose bytes are counted; no UDP, of which there would be too many sockets. */
function countingTransports(counted: { sent: number; received: number }): Transports {
  const transports = createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() })
  const never = new Promise<void>(() => undefined)
  return {
    ...transports,
    openUdp: async (port) => ({ port, closed: never, send() {}, onDatagram() {}, close() {} }),
    async dialTcp(to, signal) {
      const link = await transports.dialTcp(to, signal)
      return {
        ...link,
        send(packet) {
          counted.sent += packet.length
          link.send(packet)
        },
        onPacket: (listener) =>
          link.onPacket((packet) => {
            counted.received += packet.length
            listener(packet)
          }),
      }
    },
  }
}
