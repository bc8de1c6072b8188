import * as assert from 'uvu/assert'
import type { NetworkStatus } from '#core/room/ports'
import type { Profile } from '#core/room/profiles'
import { createFeed, type FeedMessage } from '#core/room/service/feed'
import { createRoomState, difficultyOf } from '#core/room/service/roomState'
import { suite } from '#support/runner/suite'

const test = suite('what is shown of a room')

const alex: Profile = { name: 'Alex', machineId: 'a', vendor: 'X', kind: 'HOST' }
const steve: Profile = { name: 'Steve', machineId: 'b', vendor: 'X', kind: 'LOCAL' }
const network = (difficulty: NetworkStatus['difficulty']): NetworkStatus => ({
  privacy: 'open',
  nodes: [],
  path: undefined,
  difficulty,
})

function createShown() {
  const feed = createFeed()
  const messages: FeedMessage[] = []
  feed.subscribe((message) => messages.push(message))
  let now = 1000
  const roomState = createRoomState({ feed, unixTime: () => now++ })
  const told = () => messages.splice(0).map(({ type, index }) => `${type} ${index}`)
  return { roomState, feed, told }
}

test('a move is told with the next index, and begins a new count of players’ changes', () => {
  const { roomState, told } = createShown()
  roomState.transition({ stage: 'Guest_Prepare', role: 'guest', room: 'U/1' })
  assert.equal(told(), ['state 1'])
  roomState.update({ players: [alex] })
  roomState.update({ players: [alex, steve] })
  assert.equal(told(), ['profiles 2', 'profiles 3'])
  assert.equal([roomState.view().index, roomState.view().profileIndex], [3, 2])
  roomState.transition({ stage: 'Guest_NetworkStarting', role: 'guest' })
  assert.equal(told(), ['state 4'])
  assert.equal([roomState.view().index, roomState.view().profileIndex], [4, 0])
})

test('a move that brings other players tells state and players, and still counts none', () => {
  const { roomState, told } = createShown()
  roomState.transition({ stage: 'Guest_Running', role: 'guest', players: [alex] })
  assert.equal(told(), ['state 1', 'profiles 2'])
  assert.equal([roomState.view().index, roomState.view().profileIndex], [2, 0])
})

test('the last index that was not of players only lets a launcher keep its page when only players changed', () => {
  const { roomState, feed } = createShown()
  /** What HMCL does: a record whose index is ahead by at most `profile_index` is the page that is shown already. */
  const isSamePage = (shownIndex: number) => {
    const { index, stateIndex } = roomState.view()
    return index - shownIndex <= index - stateIndex
  }
  roomState.transition({ stage: 'Host_NetworkStarting', role: 'host' })
  const before = roomState.view().index
  roomState.transition({ stage: 'Host_Running', role: 'host', players: [alex] })
  const shown = roomState.view().index
  assert.is(isSamePage(before), false)
  for (const players of [[alex, steve], [alex], [alex, steve]]) {
    // Log messages count in the feed, too.
    feed.publish({ type: 'log', level: 'info', message: 'x', timestamp: '' })
    roomState.update({ players })
    assert.ok(roomState.view().index > shown)
    assert.is(isSamePage(shown), true)
  }
  roomState.update({ url: '127.0.0.1:1' })
  assert.is(isSamePage(shown), false)
})

test('the same players again are no change', () => {
  const { roomState, told } = createShown()
  roomState.transition({ stage: 'Host_Running', role: 'host', players: [alex] })
  told()
  roomState.update({ players: [{ ...alex }] })
  assert.equal([told(), roomState.view().profileIndex], [[], 0])
})

test('a new name or another order of players is one', () => {
  const { roomState, told } = createShown()
  roomState.transition({ stage: 'Host_Running', role: 'host', players: [alex, steve] })
  told()
  roomState.update({ players: [alex, { ...steve, name: 'Stefan' }] })
  roomState.update({ players: [steve, alex] })
  assert.equal([told().length, roomState.view().profileIndex], [2, 2])
})

test('difficulty is shown while a guest connects, and its change counts with the players’', () => {
  const { roomState, told } = createShown()
  roomState.transition({ stage: 'Guest_Prepare', role: 'guest' })
  assert.is(difficultyOf(roomState.view()), 'UNKNOWN')
  told()
  roomState.update({ network: network(undefined) })
  assert.equal(told(), [])
  roomState.update({ network: network('MEDIUM') })
  assert.equal([told(), roomState.view().profileIndex], [['state 2'], 1])
  assert.is(difficultyOf(roomState.view()), 'MEDIUM')
  roomState.transition({ stage: 'Guest_Running', role: 'guest' })
  assert.is(difficultyOf(roomState.view()), null)
  told()
  roomState.update({ network: network('EASIEST') })
  assert.equal(told(), [])
  roomState.transition({ stage: 'Host_Running', role: 'host' })
  assert.is(difficultyOf(roomState.view()), null)
})

test('a new notice, world or latency is no change of the state', () => {
  const { roomState, told } = createShown()
  roomState.transition({ stage: 'Host_GameDetecting', role: 'host' })
  told()
  roomState.update({ notice: 'Open your world.' })
  roomState.update({ gamePort: 25565 })
  assert.equal([told(), roomState.view().index], [[], 1])
  assert.equal([roomState.view().notice, roomState.view().gamePort], ['Open your world.', 25565])
})

test('a stage’s notice goes with it; its time comes', () => {
  const { roomState } = createShown()
  roomState.transition({ stage: 'Host_GameDetecting', role: 'host', notice: 'Open your world.' })
  const { changedAt } = roomState.view()
  roomState.transition({ stage: 'Host_ScaffoldingStarting', role: 'host' })
  assert.is(roomState.view().notice, null)
  assert.ok(roomState.view().changedAt > changedAt)
})

test('without a role nothing of the last one is left', () => {
  const { roomState } = createShown()
  const failure = { code: 'internal', type: 3, detail: 'd', hint: 'h', stage: 'Host_Running' } as const
  roomState.transition({ stage: 'Host_Running', role: 'host', room: 'U/1', players: [alex], gamePort: 1 })
  roomState.transition({ stage: 'Error', role: 'host', failure })
  assert.equal([roomState.view().failure, roomState.view().room], [failure, 'U/1'])
  roomState.transition({ stage: 'Idle', role: null })
  const { stage, state, role, room, players, gamePort, url, failure: none, network: net } = roomState.view()
  assert.equal(
    { stage, state, role, room, players, gamePort, url, none, net },
    {
      stage: 'Idle',
      state: 'waiting',
      role: null,
      room: null,
      players: [],
      gamePort: 0,
      url: null,
      none: null,
      net: null,
    },
  )
})

test.run()
