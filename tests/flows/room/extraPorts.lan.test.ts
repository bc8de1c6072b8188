import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { openPort } from '#support/process/openPort'
import type { OpenRoom } from '#support/room/openRoom'
import { virtualPlayersOf } from '#support/room/virtualPlayers'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'

// Real UDP and TCP of this machine at both ends, the network of the room's own between them.
const test = suite('extra ports of a room', { timeoutMs: 60_000 })

const { add, startPlayers } = virtualPlayersOf(test)

function openSpeaker(): Socket {
  const socket = createSocket('udp4')
  add(async () => socket.close())
  return socket
}

/** A voice server: it answers each datagram with the speaker's port and what was said. */
async function startVoiceServer(): Promise<{ port: number }> {
  const socket = openSpeaker()
  socket.on('message', (bytes, from) => socket.send(`${from.port} ${bytes}`, from.port, from.address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { port: socket.address().port }
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

/** A room with these ports, and a guest that is in it. */
async function play(ports: readonly unknown[]) {
  const { world, host, guest } = await startPlayers()
  await host.ask('/room/host/start', { gamePort: world.port, ports })
  await host.until('host-ok')
  await guest.ask('/room/guest/start', { roomCode: host.roomState.view().room })
  await guest.until('guest-ok')
  return { host, guest }
}

test('a guest speaks over the host’s voice port, each speaker by a flow of its own', async () => {
  const voice = await startVoiceServer()
  const speakers = [openSpeaker(), openSpeaker()]
  const { guest } = await play([{ name: 'voice', udp: voice.port }])
  const [shared] = await untilShared(guest, ['voice'])
  // The voice server itself has the number here.
  assert.ok(shared?.localUdp && shared.localUdp !== voice.port)
  const answers = await Promise.all(
    speakers.map((socket, at) => speak(socket, shared?.localUdp ?? 0, `hello ${at}`)),
  )
  const ports = answers.map((answer) => answer.split(' ')[0])
  assert.is(new Set(ports).size, 2)
})

test('ports that are shared later come within a heartbeat, and go again', async () => {
  const page = createServer((socket) => socket.end('the map'))
  add(async () => page.close())
  const port = await openPort(page)
  const { host, guest } = await play([])
  assert.equal(await untilShared(guest, []), [])
  await host.ask('/room/host/ports', { ports: [{ name: 'map', tcp: port }] })
  const [shared] = await untilShared(guest, ['map'])
  assert.is(await readAll(shared?.localTcp ?? 0), 'the map')
  await host.ask('/room/host/ports', { ports: [] })
  await untilShared(guest, [])
  assert.is(await readAll(shared?.localTcp ?? 0).catch(() => 'refused'), 'refused')
})

test('a port that gets another name, or UDP as well, stays where it is, and so do its connections', async () => {
  const page = createServer((socket) => socket.pipe(socket))
  add(async () => page.close())
  const port = await openPort(page)
  const { host, guest } = await play([{ name: 'map', tcp: port }])
  const [before] = await untilShared(guest, ['map'])
  const socket = connect(before?.localTcp ?? 0, '127.0.0.1')
  add(async () => void socket.destroy())
  const answer = async (text: string) => {
    socket.write(text)
    return `${(await once(socket, 'data'))[0]}`
  }
  assert.is(await answer('one'), 'one')
  await host.ask('/room/host/ports', { ports: [{ name: 'atlas', tcp: port, udp: port }] })
  const [after] = await untilShared(guest, ['atlas'])
  assert.is(after?.localTcp, before?.localTcp)
  assert.is(await answer('two'), 'two')
})

test('a port that becomes the host program’s own while it is shared leads nowhere from then on', async () => {
  let connections = 0
  const api = createServer((socket) => {
    connections += 1
    socket.end('the API')
  })
  add(async () => api.close())
  const port = await openPort(api)
  const { host, guest } = await play([{ name: 'map', tcp: port }])
  const [shared] = await untilShared(guest, ['map'])
  assert.is(await readAll(shared?.localTcp ?? 0), 'the API')
  const before = connections
  host.ownPorts.add('tcp', port, 'api')
  // Refused at once, or closed once the guest has been told.
  for (let tries = 0; tries < 3; tries += 1)
    assert.is(await readAll(shared?.localTcp ?? 0).catch(() => ''), '')
  await untilShared(guest, [])
  assert.is(connections, before)
})

async function readAll(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  for await (const bytes of socket) text += bytes
  return text
}

test.run()
