import { connect } from 'node:net'
import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { type OpenRoom, openRoom } from '#support/room/openRoom'
import { type InnerTarget, openServedTarget } from '#support/room/roomTargets'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'
import { eventually, until } from '#support/values/until'
import { got, idIn, postJson, refused, type Status, statusOf, untilState } from './asking'
import { listen } from './listener'

const test = suite('guests are let in, refused and removed')

const { roomNetwork } = createMemoryNetwork()
let world: TestWorld
let host: InnerTarget
let guests: OpenRoom[] = []

test.before(async () => {
  world = await startWorld()
})
test.before.each(async () => {
  host = await openServedTarget(roomNetwork)
})
test.after.each(async () => {
  await Promise.all(guests.map((guest) => guest.close()))
  guests = []
  await host.stop()
})
test.after(() => world.close())

async function openRoomFor(order: Record<string, unknown>): Promise<string> {
  await got(postJson(host, '/room/host/start', { gamePort: world.port, ...order }))
  const { room } = await untilState(host, 'host-ok')
  return room ?? ''
}

async function join(room: string, playerName: string): Promise<OpenRoom> {
  const guest = openRoom(roomNetwork)
  guests.push(guest)
  const response = await guest.ask('/room/guest/start', { roomCode: room, playerName })
  assert.is(response.status, 200)
  return guest
}

const hostStatus = (isSo: (status: Status) => boolean) => eventually(() => statusOf(host), isSo)
const guestStatus = (guest: OpenRoom, isSo: (status: Status) => boolean) =>
  eventually(() => got<Status>(guest.ask('/room/status')), isSo)

test('a guest waits, the host is asked by status and feed, and lets it in', async () => {
  const listener = await listen(host.url)
  const told = () =>
    listener.messages.flatMap((message) => (message.type === 'guests' ? [message.guests.length] : []))
  const room = await openRoomFor({ approval: true })
  const steve = await join(room, 'Steve')
  const id = idIn(room, steve.machineId)
  const { guests: asked, players } = await hostStatus(({ guests }) => guests.length > 0)
  assert.equal([asked[0]?.name, asked[0]?.state, asked[0]?.id], ['Steve', 'waiting', id])
  assert.is(players.length, 1)
  const waiting = await guestStatus(steve, ({ state }) => state === 'Guest_AwaitingApproval')
  assert.match(waiting.hint ?? '', /let you in/)
  assert.is(waiting.hintCode, 'awaiting-approval')
  await until('the feed tells of it', () => told().length > 1)
  await got(postJson(host, `/room/guests/${id}/approve`))
  await steve.until('guest-ok')
  const after = await hostStatus(({ players }) => players.length === 2)
  assert.equal(after.guests, [])
  await until('the feed tells of it', () => told().length > 2)
  assert.equal(told(), [0, 1, 0])
  await listener.close()
})

test('a refused guest is told so, and again when it comes back; approval lets it in after all', async () => {
  const room = await openRoomFor({ approval: true })
  const steve = await join(room, 'Steve')
  await hostStatus(({ guests }) => guests.length > 0)
  await got(postJson(host, `/room/guests/${idIn(room, steve.machineId)}/refuse`))
  const { errorCode } = await guestStatus(steve, ({ state }) => state === 'Error')
  assert.is(errorCode, 'refused')
  await steve.ask('/room/retry', {})
  await guestStatus(steve, (status) => status.state === 'Error' && status.errorCode === 'refused')
  await got(postJson(host, `/room/guests/${idIn(room, steve.machineId)}/approve`))
  await steve.ask('/room/retry', {})
  await steve.until('guest-ok')
})

test('a removed guest loses the world at once, is told why, and cannot come back; others play on', async () => {
  const room = await openRoomFor({})
  const [steve, kim] = [await join(room, 'Steve'), await join(room, 'Kim')]
  await Promise.all([steve.until('guest-ok'), kim.until('guest-ok')])
  await hostStatus(({ players }) => players.length === 3)
  const game = connect(steve.roomState.view().gamePort, '127.0.0.1')
  game.on('error', () => {})
  const closed = new Promise((resolve) => game.once('close', resolve))
  game.write('echo hello\n')
  await new Promise((resolve) => game.once('data', resolve))
  await got(postJson(host, `/room/guests/${idIn(room, steve.machineId)}/kick`))
  await closed
  const { errorCode } = await guestStatus(steve, ({ state }) => state === 'Error')
  assert.is(errorCode, 'removed')
  const { players, guests } = await statusOf(host)
  assert.equal(players.map(({ name }) => name).sort(), ['Host', 'Kim'])
  assert.equal([each(guests, 'name'), each(guests, 'state')], [['Steve'], ['removed']])
  await steve.ask('/room/retry', {})
  await guestStatus(steve, (status) => status.state === 'Error' && status.errorCode === 'removed')
  assert.is(kim.roomState.view().state, 'guest-ok')
  assert.is(await world.echoThrough(kim.roomState.view().gamePort, 'still here'), 'still here')
})

test('a player is removed whatever its name is', async () => {
  const name = 'ws://a/b"'
  const room = await openRoomFor({})
  const steve = await join(room, name)
  await steve.until('guest-ok')
  await got(postJson(host, `/room/guests/${idIn(room, steve.machineId)}/kick`))
  const { errorCode } = await guestStatus(steve, ({ state }) => state === 'Error')
  assert.is(errorCode, 'removed')
  assert.ok((await (await host.send('/log')).text()).includes('a guest was removed {"name":"ws://a/****\\""'))
})

test('a list lets its players in by name, and nobody else', async () => {
  const room = await openRoomFor({ allowed: ['steve'] })
  const [steve, kim] = [await join(room, 'Steve'), await join(room, 'Kim')]
  await steve.until('guest-ok')
  const { errorCode } = await guestStatus(kim, ({ state }) => state === 'Error')
  assert.is(errorCode, 'refused')
})

test('approval can be switched off while someone waits', async () => {
  const steve = await join(await openRoomFor({ approval: true }), 'Steve')
  await hostStatus(({ guests }) => guests.length > 0)
  await got(postJson(host, '/room/host/admission', { approval: false }))
  await steve.until('guest-ok')
})

test('what a change of the rules leaves out stays as it was', async () => {
  const room = await openRoomFor({ approval: true, allowed: ['steve'] })
  await got(postJson(host, '/room/host/admission', { approval: false }))
  const [steve, kim] = [await join(room, 'Steve'), await join(room, 'Kim')]
  await steve.until('guest-ok')
  const { errorCode } = await guestStatus(kim, ({ state }) => state === 'Error')
  assert.is(errorCode, 'refused')
})

test('whom the room lets in is told as it is now, and a change is told only where there was one', async () => {
  const told = async () => {
    const { private: isPrivate, approval, allowed } = await statusOf(host)
    const config = await got(host.send('/config'))
    assert.equal([config.private, config.approval, config.allowed], [isPrivate, approval, allowed])
    return [isPrivate, approval, allowed]
  }
  const change = async (order: object) => (await got(postJson(host, '/room/host/admission', order))).message
  await openRoomFor({ private: true, approval: true, allowed: ['steve', 'kim'] })
  assert.equal(await told(), [true, true, ['steve', 'kim']])
  for (const same of [{}, { more: 1 }, { approval: true }, { allowed: ['kim', 'steve'] }, { approval: null }])
    assert.match(String(await change(same)), /^Nothing was changed: /)
  assert.equal(await told(), [true, true, ['steve', 'kim']])
  assert.is(await change({ approval: false }), 'Changed.')
  assert.equal(await told(), [true, false, ['steve', 'kim']])
  assert.is(await change({ allowed: [] }), 'Changed.')
  assert.equal(await told(), [true, false, []])
  await got(postJson(host, '/room/stop'))
  const { private: isPrivate, approval, allowed } = await got(host.send('/config'))
  assert.equal([isPrivate, approval, allowed], [false, false, []])
})

test('wrong states, ids and fields are refused, each with its status', async () => {
  for (const act of ['kick', 'approve', 'refuse'])
    await refused(postJson(host, `/room/guests/abc/${act}`), 409, /No room is being hosted/)
  await refused(postJson(host, '/room/host/admission', { approval: true }), 409)
  await refused(postJson(host, '/room/host/start', { approval: 'yes' }), 400, /^approval must be/)
  await refused(postJson(host, '/room/host/start', { allowed: ['', 7] }), 400, /^allowed\.0 must be/)
  await openRoomFor({})
  for (const act of ['kick', 'approve', 'refuse']) {
    await refused(postJson(host, `/room/guests/abc/${act}`), 404, /No guest has the id abc/)
    await refused(postJson(host, `/room/guests/${'x'.repeat(129)}/${act}`), 400, /^id must be/)
    await refused(postJson(host, `/room/guests/a%20b/${act}`), 400, /^id must be/)
  }
})

test.run()
