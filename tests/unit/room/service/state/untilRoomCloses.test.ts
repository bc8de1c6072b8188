import { type SimulatedRoom, simulatedRoomsOf } from '../../../../support/room/simulatedRooms'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('the end of a room, at a guest')

const setting = simulatedRoomsOf(test)
let host: SimulatedRoom
let guest: SimulatedRoom
let room: string

test.before.each(async () => {
  host = setting.open()
  guest = setting.open()
  host.machine.openWorld(30_000, { announced: true })
  room = await host.host({ gamePort: 30_000, playerName: 'Alex' })
})

const advance = (ms: number) => setting.clock.advance(ms)
const shown = () => guest.shown()

test('a host that closes its room ends its guests at once, and says so', async () => {
  await guest.join(room)
  await host.service.stop()
  await advance(0)
  assert.equal([shown().stage, shown().code, shown().url], ['Error', 'room-closed', null])
  const { failure } = guest.roomState.view()
  assert.equal([failure?.type, failure?.detail], [1, 'The host has closed the room.'])
  assert.equal([guest.machine.listening, guest.machine.announced], [[], []])
})

test('guests hear of the end however long the room was open', async () => {
  await guest.join(room)
  await advance(600_000)
  assert.is(shown().stage, 'Guest_Running')
  await host.service.stop()
  await advance(0)
  assert.is(shown().code, 'room-closed')
})

test.run()
