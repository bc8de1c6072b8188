import type { ByteStream } from '@lantern-room/base/bytes'
import type { GuestConnection } from '@lantern-room/room/network'
import { encodePlayer, encodeRequest } from '#support/room/protocolFrames'
import { type SimulatedRoom, simulatedRoomsOf } from '#support/room/simulatedRooms'
import { roomOf } from '#support/room/testRoomNetwork'
import { assert, suite } from '#support/runner/suite'

const test = suite('members without a player, refused ones and crowds', { timeoutMs: 60_000 })

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
  return joinAt(undefined)
}

/** @param address as which the host sees its machine */
async function joinAt(address: string | undefined): Promise<GuestConnection> {
  const room = roomOf(host.roomState.view().room ?? '')
  const network = setting.network.networkAt(address)
  const member = await network.join({ room, onStep() {}, signal: stop.signal })
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

/** @returns what the host answers, as text */
async function register(member: GuestConnection, machineId: string): Promise<string> {
  const stream = await member.dial(member.host.roomPort)
  const body = encodePlayer({ name: 'Steve', machineId, vendor: 'X 1' })
  await stream.write(encodeRequest({ kind: 'c:player_ping', body })).catch(() => undefined)
  const answer = await stream.read().catch(() => undefined)
  return new TextDecoder().decode(answer?.subarray(5))
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

test('a player is removed whatever its id is, or has no such id', async () => {
  await openRoom()
  for (const id of ['.', '..', 'a/b', '%2e%2e', '%41', '?#', '\\', '+', '*', ':id', '"']) {
    const member = await join()
    const isRefused = /two dots/.test(await register(member, id))
    assert.is(isRefused, id === '.' || id === '..')
    if (!isRefused) assert.is((await post(encodeURIComponent(id), 'kick')).status, 200, id)
    await setting.clock.advance(500)
    assert.is(host.roomState.view().players.length, 1)
  }
})

test('streams and flows to the world end 15 s after they began, and none begins until a player is registered', async () => {
  await openRoom()
  const member = await join()
  const streams = await Promise.all([WORLD, MAP].map((port) => member.dial(port)))
  for (const stream of streams) assert.ok(await echoes(stream))
  const flow = member.datagrams(WORLD)
  flow.send(Uint8Array.of(1))
  await setting.clock.advance(14_000)
  for (const stream of streams) assert.ok(await echoes(stream))
  await setting.clock.advance(2000)
  for (const stream of streams) assert.is(await echoes(stream), false)
  await flow.closed
  for (const port of [WORLD, MAP]) assert.is(await reaches(member, port), false)
  await register(member, 'a'.repeat(32))
  assert.ok(await reaches(member, WORLD))
})

test('one whose player has expired is told from one that pings on', async () => {
  await openRoom()
  const [silent, honest] = [await join(), setting.open()]
  await register(silent, 'a'.repeat(32))
  const stream = await silent.dial(WORLD)
  await honest.join(host.roomState.view().room ?? '')
  await setting.clock.advance(29_000)
  assert.ok(await echoes(stream))
  await setting.clock.advance(2000)
  assert.equal([await echoes(stream), await reaches(silent, WORLD)], [false, false])
  assert.is(honest.roomState.view().stage, 'Guest_Running')
  assert.is(host.roomState.view().players.length, 2)
})

test('one that joins by hand plays without a player once the host has let it in', async () => {
  await openRoom()
  const member = await join()
  await setting.clock.advance(16_000)
  assert.is(await reaches(member, WORLD), false)
  const [{ id = '' } = {}] = host.roomState.view().guests
  assert.is((await post(id, 'approve')).status, 200)
  assert.equal(shown(), [])
  const stream = await member.dial(WORLD)
  await setting.clock.advance(60_000)
  assert.ok(await echoes(stream))
})

test('a refused player asks no more as the same member, and a few times as others of its machine', async () => {
  await openRoom({ approval: true })
  const address = '192.0.2.66'
  const members = await Promise.all(Array.from({ length: 5 }, () => joinAt(address)))
  const [first] = members
  assert.ok(first)
  await register(first, 'asks-1')
  assert.equal(shown(), ['asks-1 waiting'])
  await post('asks-1', 'refuse')
  for (let at = 2; at < 10; at += 1) await register(first, `asks-${at}`)
  await setting.clock.advance(2500)
  assert.match(await register(first, 'asks-10'), /does not let this player in/)
  assert.equal(shown(), ['asks-1 refused'])
  await setting.clock.advance(2500)
  for (const [at, member] of members.slice(1).entries()) {
    await register(member, `returns-${at}`)
    if (shown().includes(`returns-${at} waiting`)) await post(`returns-${at}`, 'refuse')
    await setting.clock.advance(2500)
  }
  const refused = shown().filter((one) => !one.endsWith('unregistered'))
  assert.equal(refused, ['asks-1 refused', 'returns-0 refused', 'returns-1 refused'])
  await register(await joinAt('192.0.2.7'), 'friend')
  assert.ok(shown().includes('friend waiting'))
  await setting.clock.advance(2500)
})

const CROWD = 70
const crowdAt = (address: string) => Promise.all(Array.from({ length: CROWD }, () => joinAt(address)))

/** A friend of another machine, who joins as a player does. */
async function joinFriend(): Promise<SimulatedRoom> {
  const friend = setting.open({ roomNetwork: setting.network.networkAt('192.0.2.7') })
  await friend.join(host.roomState.view().room ?? '')
  await setting.clock.advance(3000)
  return friend
}

test('70 members of one machine that hold connections shut no friend out, are seen and removed', async () => {
  await openRoom()
  const crowd = await crowdAt('192.0.2.66')
  for (const member of crowd) await member.dial(member.host.roomPort)
  assert.is(host.roomState.view().notice?.code, 'room-full')
  const friend = await joinFriend()
  assert.is(friend.roomState.view().stage, 'Guest_Running')
  await setting.clock.advance(15_000)
  assert.is(shown().filter((one) => one.endsWith('unregistered')).length, CROWD)
  const { connections, players } = host.roomState.view()
  const groupOf = (id: string | undefined) => connections.find(({ machineId }) => machineId === id)?.group
  const groups = new Set(host.roomState.view().guests.map(({ id }) => groupOf(id)))
  assert.is(groups.size, 1)
  assert.is(groups.has(groupOf(players[1]?.machineId)), false)
  // Their address is banned with the first one.
  await post(host.roomState.view().guests[0]?.id ?? '', 'kick')
  await setting.clock.advance(1000)
  assert.is(shown().filter((one) => one.endsWith('removed')).length, CROWD)
  assert.is(friend.roomState.view().stage, 'Guest_Running')
})

test('70 members of one machine with a player each shut no friend out', async () => {
  await openRoom()
  for (const [at, member] of (await crowdAt('192.0.2.66')).entries()) await register(member, `crowd-${at}`)
  assert.equal([host.roomState.view().players.length, host.roomState.view().notice?.code], [64, 'room-full'])
  const friend = await joinFriend()
  assert.is(friend.roomState.view().stage, 'Guest_Running')
  assert.is(host.roomState.view().players.length, 64)
})

test('70 members of one machine that wait to be let in leave a friend a place', async () => {
  await openRoom({ approval: true })
  for (const [at, member] of (await crowdAt('192.0.2.66')).entries()) await register(member, `crowd-${at}`)
  const friend = await joinFriend()
  assert.is(friend.roomState.view().stage, 'Guest_AwaitingApproval')
})

test('a friend behind the same relay as a crowd of players is told that the room is full', async () => {
  await openRoom()
  for (const [at, member] of (await crowdAt('192.0.2.7')).entries()) await register(member, `crowd-${at}`)
  const { failure } = (await joinFriend()).roomState.view()
  assert.is(failure?.code, 'room-full')
})

test.run()
