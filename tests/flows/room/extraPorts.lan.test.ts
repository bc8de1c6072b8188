import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { openPort } from '#support/process/openPort'
import { type OpenRoom, openRoom } from '#support/room/openRoom'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'
import { createVirtualNet } from '#support/virtualNet/virtualNet'

// Real UDP and TCP of this machine at both ends, the network of the room's own between them.
const test = suite('extra ports of a room', { timeoutMs: 60_000 })

const clock = createSystemClock()
const net = createVirtualNet({ clock, random: Math.random, delayMs: 1 })
let world: TestWorld
let host: OpenRoom
let guest: OpenRoom

const networkAt = (address: string) => testRoomNetwork({ transports: net.machine(address).transports, clock })

test.before.each(async () => {
  world = await startWorld({ announced: true })
  host = openRoom(networkAt('192.168.1.2'))
  guest = openRoom(networkAt('192.168.1.3'), { ROOM_HEARTBEAT_MS: '200' })
})

test.after.each(async () => {
  await Promise.all([host.close(), guest.close()])
  await world.close()
  assert.equal(net.leaks(), [])
})

/** A voice server: it answers each datagram with the speaker's port and what was said. */
async function startVoiceServer(): Promise<{ port: number; close: () => void }> {
  const socket = createSocket('udp4')
  socket.on('message', (bytes, from) => socket.send(`${from.port} ${bytes}`, from.port, from.address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: socket.address().port, close: () => socket.close() }
}

/** Says it until it is answered, since datagrams may be lost while the room is young. */
async function speak(socket: Socket, port: number, text: string): Promise<string> {
  const say = () => socket.send(text, port, '127.0.0.1')
  const again = setInterval(say, 200)
  say()
  try {
    for (;;) {
      const [bytes] = (await once(socket, 'message', { signal: AbortSignal.timeout(60_000) })) as [Buffer]
      if (`${bytes}`.endsWith(` ${text}`)) return `${bytes}`
    }
  } finally {
    clearInterval(again)
  }
}

type Shown = { readonly name: string; readonly localTcp: number | null; readonly localUdp: number | null }

async function untilShared(room: OpenRoom, names: readonly string[]): Promise<readonly Shown[]> {
  const shared = async () =>
    ((await (await room.ask('/room/status')).json()) as { ports: readonly Shown[] }).ports
  return eventually(shared, (ports) => ports.map(({ name }) => name).join() === names.join())
}

async function play(ports: readonly unknown[]): Promise<void> {
  await host.ask('/room/host/start', { gamePort: world.port, ports })
  await host.until('host-ok')
  await guest.ask('/room/guest/start', { roomCode: host.roomState.view().room })
  await guest.until('guest-ok')
}

test('a guest speaks over the host’s voice port, each speaker by a flow of its own', async () => {
  const voice = await startVoiceServer()
  const speakers = [createSocket('udp4'), createSocket('udp4')]
  try {
    await play([{ name: 'voice', udp: voice.port }])
    const [shared] = await untilShared(guest, ['voice'])
    // The number is taken here, by the voice server itself.
    assert.ok(shared?.localUdp && shared.localUdp > voice.port && shared.localUdp <= voice.port + 19)
    const answers = await Promise.all(
      speakers.map((socket, at) => speak(socket, shared?.localUdp ?? 0, `hello ${at}`)),
    )
    const ports = answers.map((answer) => answer.split(' ')[0])
    assert.is(new Set(ports).size, 2)
  } finally {
    for (const socket of speakers) socket.close()
    voice.close()
  }
})

test('ports that are shared later come within a heartbeat, and go again', async () => {
  const page = createServer((socket) => socket.end('the map'))
  const port = await openPort(page)
  try {
    await play([])
    assert.equal(await untilShared(guest, []), [])
    await host.ask('/room/host/ports', { ports: [{ name: 'map', tcp: port }] })
    const [shared] = await untilShared(guest, ['map'])
    assert.is(await readAll(shared?.localTcp ?? 0), 'the map')
    await host.ask('/room/host/ports', { ports: [] })
    await untilShared(guest, [])
    assert.is(await readAll(shared?.localTcp ?? 0).catch(() => 'refused'), 'refused')
  } finally {
    page.close()
  }
})

async function readAll(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  for await (const bytes of socket) text += bytes
  return text
}
