import { toStatusRecord } from '#core/room/api/rooms/state'
import { toStateRecord } from '#core/room/api/rooms/stateRecord'
import type { Profile } from '#core/room/profiles'
import type { RoomView } from '#core/room/service/state/roomView'
import { IDLE_VIEW } from '#core/room/service/state/roomView'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('records of the room')

const alex: Profile = { name: 'Alex', machineId: 'a', vendor: 'X 1', kind: 'HOST' }

const IDLE: RoomView = { ...IDLE_VIEW, index: 4, stateIndex: 4, changedAt: Date.UTC(2026, 0, 1) }

const PLAYING: RoomView = {
  ...IDLE,
  stage: 'Guest_Running',
  state: 'guest-ok',
  role: 'guest',
  room: 'U/1',
  players: [alex],
  gamePort: 25_565,
  url: '127.0.0.1',
  profileIndex: 2,
  network: {
    privacy: 'open',
    nodes: [
      { url: 'tcp://a:1', state: 'connected', latencyMs: 12.5, problem: undefined },
      { url: 'tcp://b:1', state: 'failed', latencyMs: undefined, problem: 'no answer' },
    ],
    mappings: [{ method: 'upnp', transport: 'udp', external: '20.0.0.1:4000' }],
    path: { kind: 'direct', transport: 'udp', latencyMs: 3.1 },
    difficulty: 'MEDIUM',
  },
}

const FAILED: RoomView = {
  ...IDLE,
  stage: 'Error',
  state: 'exception',
  role: 'host',
  room: 'U/1',
  notice: { code: 'open-world', text: 'not shown' },
  failure: { code: 'game-gone', type: 4, detail: 'It is gone.', hint: 'Open it.', stage: 'Host_Running' },
}

test('clients of Terracotta find players by machine_id, and how many messages were about players only', () => {
  const { profiles, profile_index } = toStateRecord({ ...PLAYING, index: 9, stateIndex: 4 })
  assert.equal(profiles, [{ ...alex, machine_id: 'a' }])
  assert.is(profile_index, 5)
})

test('the difficulty is shown only while a guest connects', () => {
  assert.is(toStateRecord(PLAYING).difficulty, null)
  for (const [stage, state] of [
    ['Guest_Prepare', 'guest-connecting'],
    ['Guest_Reconnecting', 'guest-starting'],
  ] as const) {
    assert.is(toStateRecord({ ...PLAYING, stage, state }).difficulty, 'MEDIUM')
    assert.is(toStateRecord({ ...PLAYING, stage, state, network: null }).difficulty, 'UNKNOWN')
  }
})

test('a failure is shown in both records; its hint replaces the notice', () => {
  const { exceptionType, type, error } = toStateRecord(FAILED)
  assert.equal([exceptionType, type, error], [4, 4, 'It is gone.'])
  const status = toStatusRecord(FAILED)
  assert.equal(
    [status.error, status.errorCode, status.stage, status.hint],
    ['It is gone.', 'game-gone', 'Host_Running', 'Open it.'],
  )
  assert.is(
    toStatusRecord({ ...IDLE, notice: { code: 'open-world', text: 'Open your world.' } }).hint,
    'Open your world.',
  )
})

test.run()
