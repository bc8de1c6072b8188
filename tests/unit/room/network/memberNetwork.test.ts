import type { MemberRelayStatus } from '#core/easytier/network'
import { FRIEND_RELAY_STATES } from '#core/room/friendRelay'
import { friendRelayOf } from '#core/room/network/memberNetwork'
import { assert, suite } from '#support/runner/suite'

const test = suite('what is carried for friends')

const STATUS: MemberRelayStatus = { reach: 'mapped-port', pairs: 0, bytes: 9, bytesPerSecond: 1000 }

const stateOf = (change: Partial<MemberRelayStatus>, isDirect = true) =>
  friendRelayOf({ memberRelay: () => ({ ...STATUS, ...change }) }, isDirect)?.state

test('there is nothing unless it was asked for', () => {
  assert.is(friendRelayOf({ memberRelay: () => undefined }, true), undefined)
})

test('the state says whether it is offered, and why not', () => {
  assert.is(stateOf({}), 'offered')
  assert.is(stateOf({ pairs: 2 }), 'carrying')
  assert.is(stateOf({ reach: undefined }), 'no-public-address')
  assert.is(stateOf({ reach: undefined }, false), 'direct-off')
})

test('the amounts are those of the network', () => {
  assert.equal(friendRelayOf({ memberRelay: () => STATUS }, true), {
    state: 'offered',
    pairs: 0,
    bytes: 9,
    bytesPerSecond: 1000,
  })
})

for (const [state, text] of Object.entries(FRIEND_RELAY_STATES))
  test(`${state} is told in whole sentences`, () => assert.match(text, /^[A-Z].*\.$/))

test.run()
