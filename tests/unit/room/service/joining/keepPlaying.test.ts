import type { ExtraPort } from '#core/room/extraPorts'
import { type FailureCode, RoomFailure } from '#core/room/failure'
import type { NetworkEvent } from '#core/room/networkStatus'
import type { Profile } from '#core/room/profiles'
import type { HostedWorld } from '#core/room/scaffolding/client'
import type { HostLink } from '#core/room/service/joining/hostLink'
import { keepPlaying } from '#core/room/service/joining/keepPlaying'
import { beginAttempt } from '#core/room/service/state/attempt'
import { createFeed } from '#core/room/service/state/feed'
import { createRoomState } from '#core/room/service/state/roomState'
import type { ExtraForwards } from '#core/room/service/streams/extraForwards'
import type { Forward } from '#core/room/service/streams/forward'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { guestConnection } from '../../../../support/room/guestConnection'
import { assert, suite } from '../../../../support/runner/suite'
import { silentLog } from '../../../../support/values/testLog'

const test = suite('a guest in the room', {
  setUp: () => startPlaying(),
  tearDown: ({ abort }) => abort(new Error('stopped')),
})

const HOST: Profile = { name: 'Alex', machineId: 'a', vendor: 'X 1', kind: 'HOST' }
const SELF: Profile = { name: 'Steve', machineId: 'b', vendor: 'X 1', kind: 'GUEST' }
const HEARTBEAT_MS = 5000

/** A guest that plays with a host whose answers the test sets. */
async function startPlaying({ port = 4000, motd = '爱丽丝 - 我的世界 🏠' } = {}) {
  const clock = createFakeClock()
  const roomState = createRoomState({ feed: createFeed('run'), clock })
  const { attempt, abort } = beginAttempt(roomState, 'guest', { room: 'U/1' })
  for (const stage of [
    'Guest_NetworkStarting',
    'Guest_DiscoveringCenter',
    'Guest_ConnectingScaffolding',
  ] as const) {
    attempt.advance(stage)
  }
  /** What the host does: its world's port, none, or how it fails. */
  const host: { world: HostedWorld | FailureCode; ports: readonly ExtraPort[] } = { world: 3000, ports: [] }
  const calls = { beat: 0, connect: 0, drop: 0 }
  const targets: number[] = []
  const shared: (readonly ExtraPort[])[] = []
  const announced: unknown[] = []
  let emit = (_event: NetworkEvent) => {}
  const answer = async () => {
    if (typeof host.world === 'number') return host.world
    if (host.world === 'not-started' || host.world === 'waiting') return host.world
    throw new RoomFailure(host.world, 'It is so.')
  }
  const link: HostLink = {
    drop: () => void calls.drop++,
    bye: async () => {},
    connect() {
      calls.connect++
      return answer()
    },
    world: answer,
    profiles: async () => [HOST, SELF],
    extraPorts: async () => host.ports,
    async beat() {
      calls.beat++
      return { world: await answer(), profiles: [HOST, SELF], extraPorts: host.ports }
    },
  }
  const forward: Forward = {
    port,
    retarget: (next) => void targets.push(next),
    check: async () => ({ edition: 'java', motd }),
    closed: new Promise(() => {}),
  }
  const extras: ExtraForwards = { update: async (ports) => void shared.push(ports) }
  const connection = guestConnection({
    onEvent(listener) {
      emit = listener
      return () => {}
    },
  })
  let failure: unknown
  void keepPlaying(
    {
      announcer: { announce: async (world) => void announced.push(world) },
      machineId: 'b',
      heartbeatMs: HEARTBEAT_MS,
      clock,
      log: silentLog(),
    },
    { attempt, connection, link, forward, extras },
  ).catch((error: unknown) => {
    failure = error
  })
  await clock.advance(0)
  return {
    clock,
    host,
    calls,
    targets,
    shared,
    announced,
    abort,
    view: () => roomState.view(),
    emit: (event: NetworkEvent) => emit(event),
    failure: () => (failure instanceof RoomFailure ? failure.code : failure),
  }
}

test('the host’s extra ports are asked for at first and with each heartbeat', async () => {
  const { clock, host, shared } = await startPlaying()
  const voice: ExtraPort = { name: 'voice', tcp: undefined, udp: 24_454 }
  host.ports = [voice]
  await clock.advance(HEARTBEAT_MS)
  assert.equal(shared, [[], [voice]])
})

test('the room is shown as running, and the world announced with its own text', async () => {
  const { view, announced, abort } = await startPlaying()
  const { stage, url, gamePort, players } = view()
  assert.equal([stage, url, gamePort], ['Guest_Running', '127.0.0.1:4000', 4000])
  assert.equal(players, [HOST, { ...SELF, kind: 'LOCAL' }])
  assert.equal(announced, [{ motd: '爱丽丝 - 我的世界 🏠', port: 4000 }])
  abort(new Error('stopped'))
})

test('a world without a text is announced with the host’s name', async () => {
  const { announced, abort } = await startPlaying({ motd: '' })
  assert.equal(announced, [{ motd: "Alex's world (X 1)", port: 4000 }])
  abort(new Error('stopped'))
})

test('the default port of the game is left out of the address', async () => {
  const { view, abort } = await startPlaying({ port: 25_565 })
  assert.is(view().url, '127.0.0.1')
  abort(new Error('stopped'))
})

test('every heartbeat takes over the port of the world, and a notice while there is none', async () => {
  const { clock, host, calls, targets, view, abort } = await startPlaying()
  host.world = 3001
  await clock.advance(HEARTBEAT_MS)
  assert.equal([calls.beat, targets, view().notice], [1, [3001], null])
  host.world = 'not-started'
  await clock.advance(HEARTBEAT_MS)
  assert.equal([calls.beat, targets], [2, [3001]])
  assert.match(view().notice?.text ?? '', /has to open it again/)
  assert.is(view().stage, 'Guest_Running')
  abort(new Error('stopped'))
})

test('a missed heartbeat reconnects every second until the host answers', async () => {
  const { clock, host, calls, targets, view, abort } = await startPlaying()
  host.world = 'connection-lost'
  await clock.advance(HEARTBEAT_MS)
  assert.equal([view().stage, view().url, calls.connect], ['Guest_Reconnecting', null, 1])
  await clock.advance(3000)
  assert.is(calls.connect, 4)
  host.world = 3002
  await clock.advance(1000)
  assert.equal([view().stage, view().url, targets.at(-1)], ['Guest_Running', '127.0.0.1:4000', 3002])
  abort(new Error('stopped'))
})

test('a lost network drops the stream, and nothing is tried until it is back', async () => {
  const { clock, calls, view, emit, abort } = await startPlaying()
  emit({ kind: 'lost' })
  await clock.advance(0)
  assert.equal([calls.drop, view().stage], [1, 'Guest_Reconnecting'])
  await clock.advance(30_000)
  assert.equal([calls.beat, calls.connect], [0, 0])
  emit({ kind: 'back', isRestarted: false })
  await clock.advance(0)
  assert.equal([calls.connect, view().stage], [1, 'Guest_Running'])
  abort(new Error('stopped'))
})

for (const [world, code] of [
  ['connection-lost', 'connection-lost'],
  ['not-started', 'game-not-started'],
] as const) {
  test(`a host that is ${world} for 60 s is the failure ${code}`, async () => {
    const { clock, host, failure } = await startPlaying()
    host.world = 'connection-lost'
    await clock.advance(HEARTBEAT_MS)
    host.world = world
    await clock.advance(59_000)
    assert.is(failure(), undefined)
    await clock.advance(2000)
    assert.equal([failure(), clock.timers], [code, 0])
  })
}

for (const code of ['fingerprint-mismatch', 'invalid-response', 'room-full'] as const) {
  test(`${code} ends the room at once, in a heartbeat and in a reconnect`, async () => {
    const beating = await startPlaying()
    beating.host.world = code
    await beating.clock.advance(HEARTBEAT_MS)
    assert.is(beating.failure(), code)
    const reconnecting = await startPlaying()
    reconnecting.host.world = 'connection-lost'
    await reconnecting.clock.advance(HEARTBEAT_MS)
    reconnecting.host.world = code
    await reconnecting.clock.advance(1000)
    assert.is(reconnecting.failure(), code)
  })
}

test('a stopped attempt ends with its reason and leaves no timer', async ({ clock, abort, failure }) => {
  const reason = new Error('stopped')
  abort(reason)
  await clock.advance(0)
  assert.equal([failure() === reason, clock.timers], [true, 0])
})

test.run()
