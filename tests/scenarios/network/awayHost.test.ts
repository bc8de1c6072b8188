import { assert, suite } from '#support/runner/suite'
import { createAwayRoom } from './awayRoom'

// Guests that wait, on simulated machines: the host's computer sleeps, starts anew, or is without network.
const test = suite('room: a guest waits for a host that is away', {
  timeoutMs: 300_000,
  setUp: () => ({ room: createAwayRoom() }),
  tearDown: async ({ room }) => assert.equal(await room.close(), []),
})

type Room = ReturnType<typeof createAwayRoom>

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

const WORLD_PORT = 30_000
const OTHER_WORLD_PORT = 31_000
/** Until a guest is in the room again whose host is back within ten minutes, */
const SOON_MS = 5 * SECOND
/** and later. */
const LATE_MS = MINUTE + 5 * SECOND

for (const privacy of ['open', 'private'] as const) {
  test(`the computer of a host whose room is ${privacy} sleeps`, async ({ room }) => {
    const { host, guest, gamePort } = await playing(room, privacy === 'private')
    for (const awayMs of [70 * SECOND, 150 * SECOND, 15 * MINUTE]) {
      host.sleep()
      await room.clock.advance(awayMs)
      assert.equal([guest.shown().stage, guest.shown().notice?.code], ['Guest_Reconnecting', 'awaiting-host'])
      host.wake()
      const ms = await room.msUntil(() => guest.shown().stage === 'Guest_Running', LATE_MS)
      assert.ok(ms < SOON_MS, `${ms} ms after ${awayMs} ms`)
      assert.equal([guest.shown().gamePort, await echo(room, guest)], [gamePort, 'hello'])
      assert.equal([guestsOf(host), host.roomState.view().guests], [['Steve'], []], 'nobody is asked again')
    }
  })
}

for (const privacy of ['open', 'private'] as const) {
  test(`the computer of a host whose room is ${privacy} sleeps while a guest waits to be let in`, async ({
    room,
  }) => {
    const { host, guest } = await knocking(room, privacy === 'private')
    for (const awayMs of [20 * SECOND, 70 * SECOND, 150 * SECOND]) {
      host.sleep()
      await room.clock.advance(awayMs)
      assert.is(guest.shown().notice?.code, 'awaiting-host')
      host.wake()
      const ms = await room.msUntil(() => guest.shown().notice?.code === 'awaiting-approval', LATE_MS)
      assert.ok(ms < SOON_MS, `${ms} ms after ${awayMs} ms`)
    }
    await letIn(room, host)
    await room.msUntil(() => guest.shown().stage === 'Guest_Running', MINUTE)
    assert.is(await echo(room, guest), 'hello')
  })
}

test('three hours, in which nothing is left behind', async ({ room }) => {
  const { host, guest, gamePort } = await playing(room, false)
  host.sleep()
  await room.clock.advance(MINUTE)
  const { timers } = room.clock
  await room.clock.advance(3 * HOUR)
  assert.ok(room.clock.timers <= timers + 2, `${room.clock.timers} timers, before ${timers}`)
  host.wake()
  const ms = await room.msUntil(() => guest.shown().stage === 'Guest_Running', LATE_MS)
  assert.ok(ms < LATE_MS, `${ms} ms`)
  assert.equal([guest.shown().gamePort, await echo(room, guest)], [gamePort, 'hello'])
})

for (const privacy of ['open', 'private'] as const)
  test(`the program of a host whose room is ${privacy} starts anew, with the world at another port`, async ({
    room,
  }) => {
    const { host, guest, code, gamePort } = await playing(room, privacy === 'private')
    await host.crash()
    await room.clock.advance(8 * MINUTE)
    const again = room.open(1)
    again.machine.openWorld(OTHER_WORLD_PORT)
    await again.host({ room: code, gamePort: OTHER_WORLD_PORT, playerName: 'Alex' })
    const isHosting = () => again.shown().stage === 'Host_Running'
    assert.ok((await room.msUntil(isHosting, MINUTE)) < MINUTE)
    const ms = await room.msUntil(() => guest.shown().stage === 'Guest_Running', LATE_MS)
    assert.ok(ms < SOON_MS, `${ms} ms`)
    assert.equal([guest.shown().gamePort, await echo(room, guest)], [gamePort, 'hello'])
  })

for (const [who, awayMs] of [
  ['guest', 8 * MINUTE],
  ['host', 8 * MINUTE],
  ['guest', 20 * MINUTE],
  ['both', 20 * MINUTE],
] as const)
  test(`the network of ${who} is down for ${awayMs} ms, which the computer itself is not told`, async ({
    room,
  }) => {
    const { host, guest, gamePort } = await playing(room, false)
    const down = [host, guest].filter(
      (player) => who === 'both' || player === (who === 'host' ? host : guest),
    )
    for (const { line } of down) line.setOnline(false)
    await room.clock.advance(awayMs)
    assert.equal([guest.shown().stage, guest.shown().notice?.code], ['Guest_Reconnecting', 'awaiting-host'])
    for (const { line } of down) line.setOnline(true)
    const ms = await room.msUntil(() => guest.shown().stage === 'Guest_Running', LATE_MS)
    const limitMs = awayMs < 10 * MINUTE ? SOON_MS : LATE_MS
    assert.ok(ms < limitMs, `${ms} ms`)
    assert.equal([guest.shown().gamePort, await echo(room, guest)], [gamePort, 'hello'])
  })

for (const privacy of ['open', 'private'] as const)
  test(`the system closes the sockets of a guest of a room that is ${privacy}, with the host there and away`, async ({
    room,
  }) => {
    const { host, guest, gamePort } = await playing(room, privacy === 'private')
    guest.breakNetwork()
    await room.clock.advance(0)
    assert.is(guest.shown().stage, 'Guest_Reconnecting')
    const ms = await room.msUntil(() => guest.shown().stage === 'Guest_Running', LATE_MS)
    assert.ok(ms < SOON_MS, `${ms} ms`)
    host.sleep()
    await room.clock.advance(MINUTE)
    guest.breakNetwork()
    guest.line.setOnline(false)
    await room.clock.advance(5 * MINUTE)
    guest.line.setOnline(true)
    await room.clock.advance(MINUTE)
    assert.is(guest.shown().stage, 'Guest_Reconnecting')
    host.wake()
    const backMs = await room.msUntil(() => guest.shown().stage === 'Guest_Running', LATE_MS)
    assert.ok(backMs < SOON_MS, `${backMs} ms`)
    assert.equal([guest.shown().gamePort, await echo(room, guest)], [gamePort, 'hello'])
  })

test('another host with the code is not taken, however long it takes', async ({ room }) => {
  const { host, guest, code } = await playing(room, false)
  host.sleep()
  await room.clock.advance(MINUTE)
  const other = room.open(9)
  other.machine.openWorld(WORLD_PORT)
  await other.host({ room: code, gamePort: WORLD_PORT, playerName: 'Mallory' })
  await room.clock.advance(20 * MINUTE)
  assert.equal([guest.shown().notice?.code, guestsOf(other)], ['other-host', []])
  host.wake()
  const ms = await room.msUntil(() => guest.shown().stage === 'Guest_Running', LATE_MS)
  assert.ok(ms < LATE_MS, `${ms} ms`)
  assert.equal([guestsOf(host), guestsOf(other)], [['Steve'], []])
})

async function playing(room: Room, isPrivate: boolean) {
  const { host, guest, code } = await knocking(room, isPrivate)
  await letIn(room, host)
  await room.msUntil(() => guest.shown().stage === 'Guest_Running', MINUTE)
  // A direct connection, where one is possible.
  await room.clock.advance(10 * SECOND)
  assert.is(guest.shown().stage, 'Guest_Running')
  return { host, guest, code, gamePort: guest.shown().gamePort }
}

/** A guest that waits to be let in. */
async function knocking(room: Room, isPrivate: boolean) {
  const host = room.open(1)
  host.machine.openWorld(WORLD_PORT)
  const code = await host.host({
    gamePort: WORLD_PORT,
    playerName: 'Alex',
    private: isPrivate,
    approval: true,
  })
  const guest = room.open(2)
  await room.msUntil(() => host.shown().stage === 'Host_Running', MINUTE)
  await guest.ask('/room/guest/start', { roomCode: code, playerName: 'Steve', wait: true })
  await room.msUntil(() => guest.shown().notice?.code === 'awaiting-approval', MINUTE)
  return { host, guest, code }
}

async function letIn(room: Room, host: Awaited<ReturnType<typeof knocking>>['host']): Promise<void> {
  const asking = () => host.roomState.view().guests[0]?.id
  await room.msUntil(() => asking() !== undefined, MINUTE)
  await host.ask(`/room/guests/${asking()}/approve`, {})
}

function echo(room: Room, guest: Awaited<ReturnType<typeof playing>>['guest']): Promise<string | undefined> {
  return room.finish(guest.machine.echo(guest.shown().gamePort, 'hello'))
}

function guestsOf(host: Awaited<ReturnType<typeof playing>>['host']): readonly string[] {
  return host.roomState.view().players.flatMap(({ name, kind }) => (kind === 'HOST' ? [] : name))
}

test.run()
