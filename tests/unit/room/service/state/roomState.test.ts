import type { Profile } from '@lantern-room/protocol'
import type { NetworkStatus } from '#internal/room/networkStatus'
import { createFeed } from '#internal/room/service/state/feed'
import type { FeedMessage } from '#internal/room/service/state/feedMessages'
import { createRoomState } from '#internal/room/service/state/roomState'
import { difficultyOf, IDLE_VIEW } from '#internal/room/service/state/roomView'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('what is shown of a room', { setUp: createShown })

const alex: Profile = { name: 'Alex', machineId: 'a', vendor: 'X', kind: 'HOST' }
const steve: Profile = { name: 'Steve', machineId: 'b', vendor: 'X', kind: 'LOCAL' }
const network = (difficulty: NetworkStatus['difficulty']): NetworkStatus => ({
  privacy: 'open',
  nodes: [],
  mappings: [],
  path: undefined,
  difficulty,
})

function createShown() {
  const clock = createFakeClock()
  const feed = createFeed('run', clock)
  const messages: FeedMessage[] = []
  feed.subscribe((message) => messages.push(message))
  const roomState = createRoomState({ feed, clock })
  /** The players and states that were told: a status for nearly every change comes as well. */
  const told = () =>
    messages.splice(0).flatMap(({ type, index }) => (type === 'status' ? [] : [`${type} ${index}`]))
  /** Longer than lists of players are kept back. */
  const pass = () => clock.advance(300)
  return { roomState, feed, messages, clock, told, pass }
}

test('a transition is told at once, and begins a new count of changes of players', async () => {
  const { roomState, told, pass } = createShown()
  roomState.transition({ stage: 'Guest_Prepare', role: 'guest', room: 'U/1' })
  assert.equal(told(), ['state 1'])
  await pass()
  roomState.update({ players: [alex] })
  await pass()
  roomState.update({ players: [alex, steve] })
  assert.equal(told(), ['profiles 3', 'profiles 4'])
  assert.equal([roomState.view().index, roomState.view().profileIndex], [4, 2])
  roomState.transition({ stage: 'Guest_NetworkStarting', role: 'guest' })
  assert.equal(told(), ['state 5'])
  assert.equal([roomState.view().index, roomState.view().profileIndex], [5, 0])
})

test('a transition that brings other players tells state and players, and still counts none', () => {
  const { roomState, told } = createShown()
  roomState.transition({ stage: 'Guest_Running', role: 'guest', players: [alex] })
  assert.equal(told(), ['state 1', 'profiles 2'])
  assert.equal([roomState.view().index, roomState.view().profileIndex], [2, 0])
})

test('difficulty is shown while a guest connects, and its change counts with the players’', () => {
  const { roomState, told } = createShown()
  roomState.transition({ stage: 'Guest_Prepare', role: 'guest' })
  assert.is(difficultyOf(roomState.view()), 'UNKNOWN')
  told()
  roomState.update({ network: network(undefined) })
  assert.equal(told(), [])
  roomState.update({ network: network('MEDIUM') })
  assert.equal([told(), roomState.view().profileIndex], [['state 3'], 1])
  assert.is(difficultyOf(roomState.view()), 'MEDIUM')
  roomState.transition({ stage: 'Guest_Running', role: 'guest' })
  assert.is(difficultyOf(roomState.view()), null)
  told()
  roomState.update({ network: network('EASIEST') })
  assert.equal(told(), [])
  roomState.transition({ stage: 'Host_Running', role: 'host' })
  assert.is(difficultyOf(roomState.view()), null)
})

test('a stage’s notice goes with it; its time comes', async ({ roomState, pass }) => {
  roomState.transition({
    stage: 'Host_GameDetecting',
    role: 'host',
    notice: { code: 'open-world', text: 'Open your world.' },
  })
  const { changedAt } = roomState.view()
  await pass()
  roomState.transition({ stage: 'Host_ScaffoldingStarting', role: 'host' })
  assert.is(roomState.view().notice, null)
  assert.ok(roomState.view().changedAt > changedAt)
})

test('without a role nothing of the last one is left', ({ roomState }) => {
  const failure = { code: 'internal', type: 3, detail: 'd', hint: 'h', stage: 'Host_Running' } as const
  roomState.transition({ stage: 'Host_Running', role: 'host', room: 'U/1', players: [alex], gamePort: 1 })
  roomState.transition({ stage: 'Error', role: 'host', failure })
  assert.equal([roomState.view().failure, roomState.view().room], [failure, 'U/1'])
  roomState.transition({ stage: 'Idle', role: null })
  const { index, stateIndex, changedAt } = roomState.view()
  assert.equal(roomState.view(), { ...IDLE_VIEW, index, stateIndex, changedAt })
})

test.run()
