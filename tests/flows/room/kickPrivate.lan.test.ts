import { connect, type Socket } from 'node:net'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import { createDeferred } from '@lantern-room/base/async'
import type { Transports } from '@lantern-room/easytier/transport'
import { startRelay } from '#support/network/relay'
import { type OpenRoom, openRoom } from '#support/room/openRoom'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import { until } from '#support/values/until'
import { createVirtualNet, type VirtualNet } from '#support/virtualNet/virtualNet'

const test = suite('A guest is removed from a private room', { timeoutMs: 600_000 })

const clock = createSystemClock()
const HOST = '192.168.1.2'
const patiently = (what: string, isSo: () => boolean) => until(what, isSo, { ms: 120_000 })
let net: VirtualNet
let world: TestWorld
let host: OpenRoom
let rooms: OpenRoom[] = []
let endGame = () => {}

test.before.each(async () => {
  net = createVirtualNet({ clock, random: Math.random, delayMs: 1 })
  world = await startWorld()
  host = openRoom(networkAt(HOST))
  rooms = [host]
  await host.ask('/room/host/start', { gamePort: world.port, private: true, playerName: 'Alex' })
  await host.until('host-ok', 120_000)
})

test.after.each(async () => {
  endGame()
  await Promise.all(rooms.map((room) => room.close()))
  await world.close()
  assert.equal(net.leaks(), [])
})

test('the others go to a network that it cannot know, with their game running, and a friend still comes in', async () => {
  const steve = await play('Steve', 3)
  const kim = await play('Kim', 4)
  const mallory = await play('Mallory', 5)
  const game = await startGame(steve)
  await patiently('three guests', () => host.roomState.view().players.length === 4)

  await kick('Mallory')
  await mallory.until('exception', 120_000)
  // The farewell reaches only a guest that has asked for it already, and has half a second.
  assert.ok(['removed', 'connection-lost'].includes(mallory.roomState.view().failure?.code ?? ''))
  await patiently('both have moved', () => networksAt(3) === 1 && networksAt(4) === 1 && networksAt(2) === 2)
  await game.play(1000)
  assert.equal(await game.lost(), 0)
  assert.is(await world.echoThrough(kim.roomState.view().gamePort, 'kim'), 'kim')
  assert.equal(namesIn(host), ['Alex', 'Steve', 'Kim'])

  // It returns as somebody else, by another line: it waits, and reaches nothing but the room protocol.
  const stranger = open(6)
  await stranger.ask('/room/guest/start', { roomCode: code(), playerName: 'Friend' })
  await patiently('it waits', () => host.roomState.view().guests.some(({ name }) => name === 'Friend'))
  await patiently('it knows', () => stranger.roomState.view().stage === 'Guest_AwaitingApproval')
  assert.equal(namesIn(host), ['Alex', 'Steve', 'Kim'])
  assert.is(networksAt(6), 1)

  // The host knows this one after all.
  const { id = '' } = host.roomState.view().guests.find(({ name }) => name === 'Friend') ?? {}
  await host.ask(`/room/guests/${id}/approve`, {})
  await stranger.until('guest-ok', 120_000)
  assert.is(await world.echoThrough(stranger.roomState.view().gamePort, 'friend'), 'friend')

  // The second change: the stream goes on again.
  await kick('Kim')
  await kim.until('exception', 120_000)
  await game.play(7000)
  await patiently('the first one has closed', () => networksAt(2) === 2)
  assert.is(await game.lost(), 0)
  assert.equal(namesIn(host), ['Alex', 'Steve', 'Friend'])
  assert.is(await world.echoThrough(stranger.roomState.view().gamePort, 'again'), 'again')
})

test('through a shared node, over sockets: a running game goes on, and the node has a second network', async () => {
  const relay = await startRelay()
  const nodes = [relay.urls.tcp]
  const settings = { ROOM_NODES: nodes.join(','), ROOM_HEARTBEAT_MS: '300' }
  const enter = (player: string) => {
    const transports = createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() })
    const room = openRoom(networkOf(transports, nodes), settings)
    rooms.push(room)
    const order = { playerName: player }
    return { room, join: () => room.ask('/room/guest/start', { ...order, roomCode: code() }) }
  }
  try {
    host = enter('Alex').room
    await host.ask('/room/host/start', { gamePort: world.port, private: true, playerName: 'Alex' })
    await host.until('host-ok', 120_000)
    const [steve, mallory] = [enter('Steve'), enter('Mallory')]
    for (const { room, join } of [steve, mallory]) {
      await join()
      await room.until('guest-ok', 120_000)
    }
    const game = await startGame(steve.room)
    assert.is(relay.counters().networks, 1)
    await kick('Mallory')
    await mallory.room.until('exception', 120_000)
    await patiently('there is a second network', () => relay.counters().networks === 2)
    // The host in both, Steve in the new one alone.
    await patiently('Steve has moved', () => relay.counters().members === 3)
    assert.is(await game.lost(), 0)
    assert.is(await world.echoThrough(steve.room.roomState.view().gamePort, 'steve'), 'steve')
    endGame()
  } finally {
    await Promise.all(rooms.splice(1).map((room) => room.close()))
    await relay.close()
  }
})

function networkAt(address: string) {
  return networkOf(net.machine(address).transports)
}

/** @param nodes if there are any, everything goes through them */
function networkOf(transports: Transports, nodes: readonly string[] = []) {
  return testRoomNetwork({ transports, nodes, isDirect: nodes.length === 0, clock })
}

function open(last: number): OpenRoom {
  const room = openRoom(networkAt(`192.168.1.${last}`), { ROOM_HEARTBEAT_MS: '300' })
  rooms.push(room)
  return room
}

async function play(name: string, last: number): Promise<OpenRoom> {
  const room = open(last)
  await room.ask('/room/guest/start', { roomCode: code(), playerName: name })
  await room.until('guest-ok', 120_000)
  return room
}

function code(): string {
  return host.roomState.view().room ?? ''
}

function namesIn(room: OpenRoom): readonly string[] {
  return room.roomState.view().players.map(({ name }) => name)
}

async function kick(name: string): Promise<void> {
  const player = host.roomState.view().players.find((one) => one.name === name)
  const { status } = await host.ask(`/room/guests/${player?.machineId}/kick`, {})
  assert.is(status, 200)
}

/** Each has a listener of its own. */
function networksAt(last: number): number {
  const leak = net.leaks().find((one) => one.startsWith(`192.168.1.${last}: `) && one.endsWith('listeners'))
  return Number(leak?.split(' ')[1] ?? 0)
}

/** A connection to the world that stays open, by which a number is sent every 10 ms and comes back. */
async function startGame(room: OpenRoom) {
  const connected = createDeferred<void>()
  const socket: Socket = connect(room.roomState.view().gamePort, '127.0.0.1', () => connected.resolve())
  await connected.promise
  let sent = 'echo '
  let received = ''
  let isClosed = false
  socket.on('data', (bytes) => {
    received += bytes.toString()
  })
  socket.on('close', () => {
    isClosed = true
  })
  socket.on('error', () => undefined)
  socket.write(sent)
  let next = 0
  const timer = setInterval(() => {
    next += 1
    sent += ` ${next}`
    socket.write(` ${next}`)
  }, 10)
  endGame = () => {
    clearInterval(timer)
    socket.destroy()
  }
  return {
    play: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
    /** How many characters have not come back, in order. */
    async lost(): Promise<number> {
      assert.not(isClosed, 'the connection of the game was closed')
      const expected = sent
      await patiently('all has come back', () => received.length >= expected.length)
      return received.startsWith(expected) ? 0 : expected.length
    },
  }
}

test.run()
