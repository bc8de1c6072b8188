import type { RemotePeer } from '@lantern-room/easytier'
import { type NatType, natTypes } from '@lantern-room/easytier'
import { createFriendNeed } from '#internal/room/network/members/guestNetwork'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('the need of a friend as relay')

const NODE = { origin: { transport: 'tcp' }, isSharedNode: true }
const DIRECT = { origin: { transport: 'udp' }, isSharedNode: false }

function setUp(natHere: NatType, natThere: NatType) {
  const clock = createFakeClock()
  const need = createFriendNeed(clock)
  const world = { connection: undefined as unknown, isThere: true }
  const record = {
    hostname: 'scaffolding-mc-server-13448',
    address: '10.144.144.1',
    features: { isSharedNode: false },
    udpNatType: natThere,
  }
  const host = () =>
    ({ record, connection: world.connection, via: world.connection ?? NODE }) as unknown as RemotePeer
  const isNeeded = () =>
    need({ natType: (of) => (of ? natThere : natHere), peers: () => (world.isThere ? [host()] : []) })
  return { clock, world, isNeeded }
}

test('two strict routers need one at once', () => {
  const { isNeeded } = setUp(natTypes.symmetric, natTypes.symmetricEasyIncreasing)
  assert.is(isNeeded(), true)
})

test('others need one when no direct path was found for five seconds', async () => {
  const { clock, world, isNeeded } = setUp(natTypes.symmetric, natTypes.unknown)
  assert.is(isNeeded(), false)
  await clock.advance(4999)
  assert.is(isNeeded(), false)
  await clock.advance(1)
  assert.is(isNeeded(), true)
  world.connection = DIRECT
  assert.is(isNeeded(), false)
  world.connection = undefined
  assert.is(isNeeded(), false, 'it begins anew')
})

test('without a host there is none', () => {
  const { world, isNeeded } = setUp(natTypes.symmetric, natTypes.symmetric)
  world.isThere = false
  assert.is(isNeeded(), false)
})

test.run()
