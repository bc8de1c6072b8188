import { createDeferred } from '#core/async/deferred'
import { onAbort } from '#core/async/onAbort'
import { RoomFailure } from '#core/room/failure'
import { generateRoomCode } from '#core/room/roomCode'
import { NOWHERE } from '#core/room/scaffolding/players/bans'
import { createHostDecisions, toKeptDecisions } from '#core/room/scaffolding/players/hostDecisions'
import type { GuestControl } from '#core/room/service/guests/guestControl'
import type { HostRequest } from '#core/room/service/hosting/hostRequest'
import type { JoinRequest } from '#core/room/service/joining/joining'
import { createRoomKeeper } from '#core/room/service/kept/roomKeeper'
import { createRoomService } from '#core/room/service/roomService'
import type { Attempt } from '#core/room/service/state/attempt'
import { createFeed } from '#core/room/service/state/feed'
import { createRoomState } from '#core/room/service/state/roomState'
import { createFakeClock, settle } from '#support/network/fakeClock'
import { createMemoryText } from '#support/room/memoryText'
import { OPEN_POLICY } from '#support/room/openPolicy'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'
import { isRefusal } from '#support/values/failures'
import { hasResolved } from '#support/values/hasResolved'
import { silentLog } from '#support/values/testLog'

const test = suite('the room service', { setUp: createService })

const JOIN: JoinRequest = {
  room: generateRoomCode(),
  playerName: 'Steve',
  vendor: 'X 1',
  nodes: [],
  hostKey: undefined,
  acceptsNewHost: false,
  waits: false,
}
const HOST: HostRequest = {
  room: generateRoomCode(),
  playerName: 'Alex',
  vendor: 'X 1',
  scaffoldingPort: 13_448,
  gamePort: undefined,
  waitForGame: true,
  nodes: [],
  extraPorts: [],
  admission: OPEN_POLICY,
}

type Started = {
  readonly attempt: Attempt
  readonly request: HostRequest | JoinRequest
  fail(error: unknown): void
}

const playerOf = (id: string) => ({ name: `name of ${id}`, machineId: id, vendor: 'X 1' })

/** A service whose roles run until they are told to fail, or are aborted. */
function createService() {
  const started: Started[] = []
  const chosen: number[] = []
  const decisions = createHostDecisions(OPEN_POLICY)
  const guests: GuestControl = {
    approve: (id) => void decisions.approved.add(id),
    refuse: (id) => decisions.bans.add(playerOf(id), 'refused', NOWHERE),
    kick: (id) => decisions.bans.add(playerOf(id), 'removed', { memberId: '1' }),
    setPolicy: () => {},
  }
  const run = (attempt: Attempt, request: Started['request']) =>
    new Promise<never>((_, reject) => {
      started.push({ attempt, request, fail: reject })
      onAbort(attempt.signal, () => reject(attempt.signal.reason))
    })
  const clock = createFakeClock()
  const roomState = createRoomState({ feed: createFeed('run'), clock })
  const store = createMemoryText()
  const silent = silentLog()
  const keeper = createRoomKeeper({ store, clock, log: silent })
  const service = createRoomService({
    roomState,
    log: silentLog(),
    hosting: (attempt, request) => ({
      chooseGame: (port) => void chosen.push(port),
      shareOnly: () => {},
      guests: () => guests,
      decisions: () => toKeptDecisions(decisions),
      run: () => run(attempt, request),
    }),
    joining: run,
    keeper,
  })
  return { keeper, stored: () => store.text, service, roomState, started, chosen, last: () => started.at(-1) }
}

const isConflict = isRefusal('conflict')

test('a role changes the state at once, and runs in the background', async () => {
  const { service, roomState, started } = createService()
  service.join(JOIN)
  const { state, role, room } = roomState.view()
  assert.equal([state, role, room, started.length], ['guest-connecting', 'guest', JOIN.room.text, 0])
  await settle()
  assert.equal(each(started, 'request'), [JOIN])
})

test('while a role runs no other starts', ({ service }) => {
  service.host(HOST)
  assert.throws(() => service.host(HOST), isConflict)
  assert.throws(() => service.join(JOIN), isConflict)
})

test('stop aborts the role, waits for what it holds, and returns to Idle', async () => {
  const { service, roomState, last } = createService()
  service.host(HOST)
  await settle()
  const held = createDeferred()
  last()?.attempt.hold(held.promise)
  const stopping = service.stop()
  const isStopped = hasResolved(stopping)
  await settle()
  assert.equal([roomState.view().stage, isStopped()], ['Stopping', false])
  held.resolve()
  await stopping
  assert.equal([roomState.view().stage, roomState.view().role], ['Idle', null])
  assert.is(service.retry(), false)
})

test('a role that is started while the last one ends waits for it', async ({ service, started, last }) => {
  service.host(HOST)
  await settle()
  const held = createDeferred()
  last()?.attempt.hold(held.promise)
  void service.stop()
  service.join(JOIN)
  await settle()
  assert.is(started.length, 1)
  held.resolve()
  await settle()
  assert.is(started.length, 2)
})

test('a failure is shown with its stage and hint, and frees the service', async () => {
  const { service, roomState, last } = createService()
  service.join(JOIN)
  await settle()
  last()?.attempt.advance('Guest_NetworkStarting')
  last()?.fail(new RoomFailure('host-not-found', 'Nobody hosts this room.'))
  await settle()
  const { stage, role, room, failure } = roomState.view()
  assert.equal([stage, role, room], ['Error', 'guest', JOIN.room.text])
  assert.equal(
    [failure?.code, failure?.type, failure?.stage, failure?.detail],
    ['host-not-found', 0, 'Guest_NetworkStarting', 'Nobody hosts this room.'],
  )
  assert.ok(last()?.attempt.signal.aborted)
  service.host(HOST)
})

test('a failed room shows no port and no connection: they are closed', async () => {
  const { service, roomState, last } = createService()
  service.join(JOIN)
  await settle()
  last()?.attempt.update({
    ports: [{ name: 'voice', tcp: undefined, udp: 24_454, localTcp: undefined, localUdp: 24_454 }],
    connections: [
      {
        machineId: 'a',
        group: null,
        path: 'lan',
        carrier: 'udp',
        latencyMs: 1,
        loss: 0,
        sentBytesPerSecond: 0,
        receivedBytesPerSecond: 0,
        relayedBy: null,
        relayed: null,
      },
    ],
  })
  last()?.fail(new RoomFailure('room-closed', 'The host has closed the room.'))
  await settle()
  const { ports, connections } = roomState.view()
  assert.equal({ ports, connections }, { ports: [], connections: [] })
})

test('an unexpected error is shown as a fixed text', async ({ service, roomState, last }) => {
  service.host(HOST)
  await settle()
  last()?.fail(new TypeError('x is not a function at /home/me'))
  await settle()
  const { failure } = roomState.view()
  assert.equal([failure?.code, failure?.detail, failure?.type], ['internal', 'Something went wrong here.', 3])
})

test('retry runs the failed request again, once', async ({ service, started, last }) => {
  assert.is(service.retry(), false)
  service.host(HOST)
  await settle()
  last()?.fail(new RoomFailure('game-gone', 'It is gone.'))
  await settle()
  assert.is(service.retry(), true)
  await settle()
  assert.equal(each(started, 'request'), [HOST, HOST])
  assert.is(service.retry(), false)
})

test('a game is chosen for a host alone, before its run begins as well', async ({ service, chosen }) => {
  assert.throws(() => service.chooseGame(1), isConflict)
  service.host(HOST)
  service.chooseGame(2)
  await service.stop()
  service.join(JOIN)
  assert.throws(() => service.chooseGame(3), isConflict)
  assert.equal(chosen, [2])
})

const KEPT = { role: 'guest', order: { roomCode: JOIN.room.text } } as const

test('a kept room stays after an end of the program, and is forgotten by a stop and by a failure', async () => {
  for (const [end, isLeft] of [
    [({ service }: Service) => service.close(), true],
    [({ service }: Service) => service.stop(), false],
    [async ({ last }: Service) => last()?.fail(new RoomFailure('host-not-found', 'Nobody hosts.')), false],
  ] as const) {
    const setting = createService()
    setting.service.join({ ...JOIN, kept: KEPT })
    await settle()
    assert.equal(await setting.keeper.left(), KEPT)
    await end(setting)
    await settle()
    assert.equal(await setting.keeper.left(), isLeft ? KEPT : undefined)
    await setting.service.close()
  }
})

test('a role that is not kept makes the one before forgotten, and retry keeps it again', async () => {
  const { service, stored, last } = createService()
  service.join({ ...JOIN, kept: KEPT })
  await settle()
  last()?.fail(new RoomFailure('host-not-found', 'Nobody hosts.'))
  await settle()
  assert.is(stored(), undefined)
  service.retry()
  await settle()
  assert.ok(stored())
  await service.stop()
  service.host(HOST)
  await settle()
  assert.is(stored(), undefined)
  await service.stop()
})

test('what the host decides about players is kept with the room, also by the room of a retry', async () => {
  const { service, keeper, last } = createService()
  service.host({ ...HOST, kept: { role: 'host', order: { room: HOST.room.text } } })
  service.guests().kick('a')
  service.guests().approve('b')
  service.guests().refuse('c')
  const decisions = {
    bans: [
      { player: playerOf('a'), state: 'removed', origin: { memberId: '1' } },
      { player: playerOf('c'), state: 'refused', origin: {} },
    ],
    approved: ['b'],
    proofs: [],
  }
  await settle()
  assert.equal((await keeper.left())?.decisions, decisions)
  last()?.fail(new RoomFailure('game-gone', 'It is gone.'))
  await settle()
  assert.is(await keeper.left(), undefined)
  service.retry()
  await settle()
  assert.equal((await keeper.left())?.decisions, decisions)
  await service.stop()
})

type Service = ReturnType<typeof createService>

test.run()
