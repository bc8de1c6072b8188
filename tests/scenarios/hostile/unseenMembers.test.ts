import type { ByteStream } from '#core/byteStream'
import type { GuestConnection } from '#core/room/roomNetwork'
import { encodePlayer } from '#core/room/scaffolding/commands'
import { encodeRequest } from '#core/room/scaffolding/frames'
import { type SimulatedRoom, simulatedRoomsOf } from '#support/room/simulatedRooms'
import { assert, suite } from '#support/runner/suite'

const test = suite('members that play without a player', { timeoutMs: 60_000 })

const WORLD = 25_565
const MAP = 8123

const setting = simulatedRoomsOf(test)
let host: SimulatedRoom
let stop = new AbortController()

test.before.each(() => {
  stop = new AbortController()
  host = setting.open()
  host.machine.openWorld(WORLD)
  host.machine.openWorld(MAP)
})
test.after.each(() => stop.abort())

async function openRoom(order = {}): Promise<void> {
  await host.host({ gamePort: WORLD, ports: [{ name: 'map', tcp: MAP }], ...order })
  await setting.clock.advance(1000)
}

async function join(): Promise<GuestConnection> {
  const member = await setting.member(host, stop.signal)
  await setting.clock.advance(0)
  return member
}

async function echoes(stream: ByteStream): Promise<boolean> {
  await stream.write(Uint8Array.of(7)).catch(() => undefined)
  return (await stream.read().catch(() => undefined))?.[0] === 7
}

/** Whether a new stream to this port leads anywhere. */
async function reaches(member: GuestConnection, port: number): Promise<boolean> {
  const stream = await member.dial(port).catch(() => undefined)
  return stream !== undefined && echoes(stream)
}

async function register(member: GuestConnection, machineId: string): Promise<void> {
  const stream = await member.dial(member.host.roomPort)
  const body = encodePlayer({ name: 'Steve', machineId, vendor: 'X 1' })
  await stream.write(encodeRequest({ kind: 'c:player_ping', body }))
  await stream.read()
}

const shown = () => host.roomState.view().guests.map(({ id, state }) => `${id} ${state}`)
const post = (id: string, act: string) => host.ask(`/room/guests/${id}/${act}`, {})

test('one that never registers is listed after 15 s, and can be removed by its id', async () => {
  await openRoom()
  const member = await join()
  const stream = await member.dial(WORLD)
  assert.ok(await echoes(stream))
  await setting.clock.advance(15_000)
  const [{ id = '' } = {}] = host.roomState.view().guests
  assert.match(id, /^member:\d+$/)
  assert.equal(shown(), [`${id} unregistered`])
  assert.is((await post(id, 'kick')).status, 200)
  await setting.clock.advance(500)
  assert.equal(shown(), [`${id} removed`])
  await register(member, 'a'.repeat(32))
  await setting.clock.advance(2000)
  assert.equal(host.roomState.view().players.length, 1)
  assert.is((await post(id, 'approve')).status, 200)
  assert.ok(await reaches(member, WORLD))
})

test('a player cannot take the id of a member', async () => {
  await openRoom()
  await register(await join(), 'member:1')
  assert.is(host.roomState.view().players.length, 1)
})
