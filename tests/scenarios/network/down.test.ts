import { settled } from '#support/network/fakeClock'
import { failureCode } from '#support/room/failureOf'
import { assert, suite } from '#support/runner/suite'
import { GAME_PORT, openRoom } from './openRoom'

const test = suite('room network: a network that ends by itself')

test('the system closes the socket of a host: closed rejects, no event follows, and nothing is left', async () => {
  const room = await openRoom()
  await room.join('guest', 1).then(({ joining }) => joining.abort())
  const failed = failureCode(room.host.closed)
  room.hostNet.sockets[0]?.fail()
  await room.clock.advance(10)
  assert.is(await failed, 'network-failed')
  const events = room.events.length
  await room.clock.advance(20_000)
  assert.is(room.events.length, events)
  assert.is(room.clock.timers, 0)
})

test('the system closes the socket of a guest: closed rejects, streams and dials end', async () => {
  const room = await openRoom()
  const { clock } = room
  const guest = await room.join('guest', 1)
  const stream = await settled(clock, guest.session.dial(GAME_PORT))
  const failed = failureCode(guest.session.closed)
  guest.net.sockets[0]?.fail()
  await clock.advance(10)
  assert.is(await failed, 'network-failed')
  await stream.closed
  assert.is(await failureCode(guest.session.dial(GAME_PORT)), 'network-failed')
  const events = guest.events.length
  room.hosting.abort()
  await clock.advance(10)
  await room.host.closed
  assert.is(guest.events.length, events)
  assert.is(clock.timers, 0)
})

test('a stop is no failure: closed resolves', async () => {
  const room = await openRoom()
  const guest = await room.join('guest', 1)
  guest.joining.abort()
  room.hosting.abort()
  await room.clock.advance(10)
  await Promise.all([guest.session.closed, room.host.closed])
  assert.is(room.clock.timers, 0)
})

test.run()
