import * as assert from 'uvu/assert'
import { RoomFailure } from '#core/room/failure'
import type { NetworkEvent } from '#core/room/ports'
import { suite } from '#support/runner/suite'
import { GAME_PORT, openRoom, settled } from './ground'

const test = suite('overlay: a network that ends by itself')

test('the system closes the socket of a host: down once, as the last event, and nothing is left', async () => {
  const room = await openRoom()
  await room.join('guest', 1).then(({ joining }) => joining.abort())
  room.hostNet.sockets[0]?.fail()
  await room.clock.advance(10)
  await room.host.closed
  checkDown(room.events)
  await room.clock.advance(20_000)
  checkDown(room.events)
  assert.is(room.clock.timers, 0)
})

test('the system closes the socket of a guest: down once, streams and dials end', async () => {
  const room = await openRoom()
  const { clock } = room
  const guest = await room.join('guest', 1)
  const stream = await settled(clock, guest.session.dial(GAME_PORT))
  guest.net.sockets[0]?.fail()
  await clock.advance(10)
  await Promise.all([guest.session.closed, stream.closed])
  checkDown(guest.events)
  const refused = await guest.session.dial(GAME_PORT).then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(refused instanceof RoomFailure)
  assert.is(refused.code, 'network-failed')
  room.hosting.abort()
  await clock.advance(10)
  await room.host.closed
  assert.is(clock.timers, 0)
})

test('a stop is no failure: no down is told', async () => {
  const room = await openRoom()
  const guest = await room.join('guest', 1)
  guest.joining.abort()
  room.hosting.abort()
  await room.clock.advance(10)
  await Promise.all([guest.session.closed, room.host.closed])
  assert.equal(
    [...room.events, ...guest.events].filter(({ kind }) => kind === 'down'),
    [],
  )
  assert.is(room.clock.timers, 0)
})

test.run()

function checkDown(events: readonly NetworkEvent[]): void {
  assert.is(events.filter(({ kind }) => kind === 'down').length, 1)
  const last = events.at(-1)
  assert.ok(last?.kind === 'down' && last.error instanceof RoomFailure)
  assert.is(last.error.code, 'network-failed')
}
