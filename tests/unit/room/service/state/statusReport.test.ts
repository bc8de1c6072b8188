import { FRIEND_RELAY_STATES } from '#core/room/networkStatus'
import type { RoomView } from '#core/room/service/state/roomView'
import { toStatusReport } from '#core/room/service/state/statusReport'
import { IDLE_VIEW } from '../../../../support/room/idleView'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('the status of a room')

const idle: RoomView = { ...IDLE_VIEW, index: 5, stateIndex: 4, profileIndex: 3, changedAt: 2 }
const nothing = {
  state: 'Idle',
  role: null,
  error: null,
  roomCode: null,
  gamePort: 0,
  url: null,
  errorCode: null,
  stage: null,
  hint: null,
  hintCode: null,
  network: null,
  ports: [],
}

test('without a room all is null', () => {
  assert.equal(toStatusReport(idle), nothing)
})

test('a guest is told everything of its way to the host', () => {
  const report = toStatusReport({
    ...idle,
    stage: 'Guest_Running',
    role: 'guest',
    room: 'U/YNZE-U61D-2206-HXRG',
    gamePort: 25_565,
    url: '127.0.0.1:25565',
    network: {
      privacy: 'private',
      nodes: [
        { url: 'tcp://a:1', state: 'connected', latencyMs: 0, problem: undefined },
        { url: 'tcp://b:1', state: 'failed', latencyMs: undefined, problem: 'It does not answer.' },
      ],
      mappings: [{ method: 'upnp', transport: 'udp', external: '192.0.2.1:5' }],
      friendRelay: { state: 'carrying', pairs: 1, bytes: 5000, bytesPerSecond: 1_000_000 },
      path: { kind: 'relay', transport: 'ws', latencyMs: 30, relayedBy: 'friend' },
      difficulty: 'TOUGH',
    },
    ports: [
      { name: 'voice', tcp: undefined, udp: 24_454, localTcp: undefined, localUdp: 50_000 },
      { name: 'map', tcp: 8123, udp: undefined, localTcp: undefined, localUdp: undefined },
    ],
  })
  assert.equal(report, {
    ...nothing,
    state: 'Guest_Running',
    role: 'guest',
    roomCode: 'U/YNZE-U61D-2206-HXRG',
    gamePort: 25_565,
    url: '127.0.0.1:25565',
    network: {
      privacy: 'private',
      nodes: [
        { url: 'tcp://a:1', state: 'connected', latencyMs: 0, problem: null },
        { url: 'tcp://b:1', state: 'failed', latencyMs: null, problem: 'It does not answer.' },
      ],
      mappings: [{ method: 'upnp', transport: 'udp', external: '192.0.2.1:5' }],
      friendRelay: {
        state: 'carrying',
        text: FRIEND_RELAY_STATES.carrying,
        pairs: 1,
        bytes: 5000,
        bytesPerSecond: 1_000_000,
      },
      path: 'relay',
      relayedBy: 'friend',
      carrier: 'ws',
      latencyMs: 30,
    },
    ports: [
      { name: 'voice', tcp: null, udp: 24_454, localTcp: null, localUdp: 50_000 },
      { name: 'map', tcp: 8123, udp: null, localTcp: null, localUdp: null },
    ],
  })
  // Absence is null, so that no field is missing in the JSON.
  assert.equal(JSON.parse(JSON.stringify(report)), report)
})

test('without a way to the host there is none, and no latency', () => {
  const network = {
    privacy: 'open',
    nodes: [],
    mappings: [],
    path: undefined,
    difficulty: undefined,
  } as const
  assert.equal(toStatusReport({ ...idle, network }).network, {
    privacy: 'open',
    nodes: [],
    mappings: [],
    friendRelay: null,
    path: null,
    relayedBy: null,
    carrier: null,
    latencyMs: null,
  })
  const direct = { ...network, path: { kind: 'direct', transport: 'udp', latencyMs: undefined } } as const
  const { path, carrier, latencyMs } = toStatusReport({ ...idle, network: direct }).network ?? {}
  assert.equal([path, carrier, latencyMs], ['direct', 'udp', null])
})

test('a failure tells the stage in which it came, and its hint goes before a notice', () => {
  const failure = {
    code: 'host-not-found',
    type: 0,
    detail: 'It is not there.',
    hint: 'Ask.',
    stage: 'Guest_DiscoveringCenter',
  } as const
  assert.equal(
    toStatusReport({
      ...idle,
      stage: 'Error',
      failure,
      notice: { code: 'open-world', text: 'Open your world.' },
    }),
    {
      ...nothing,
      state: 'Error',
      error: 'It is not there.',
      errorCode: 'host-not-found',
      stage: 'Guest_DiscoveringCenter',
      hint: 'Ask.',
    },
  )
  assert.equal(toStatusReport({ ...idle, notice: { code: 'open-world', text: 'Open your world.' } }), {
    ...nothing,
    hint: 'Open your world.',
    hintCode: 'open-world',
  })
})

test.run()
