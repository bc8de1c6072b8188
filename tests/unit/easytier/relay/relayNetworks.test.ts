import { encodePacket, packetTypes } from '#internal/easytier/wire/packet'
import { decodeRefusal } from '#internal/easytier/wire/refusal'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'
import { OTHER_ROOM, openMeeting, ROOM, relayId } from './meeting'

const test = suite('relay: its networks', { setUp: openMeeting })

const PLAYED = encodePacket({ from: 1, to: 2, type: packetTypes.data }, new Uint8Array(10))

test('no network is opened beyond the limit while all are in use, and existing ones still accept members', async () => {
  const meeting = openMeeting({ networks: 1 })
  const first = await meeting.enter(ROOM, 1)
  const second = await meeting.enter(ROOM, 2)
  await meeting.clock.advance(59_000)
  first.send(PLAYED)
  await meeting.clock.advance(59_000)
  const late = await meeting.enter(OTHER_ROOM, 2)
  assert.equal([late.isClosed, late.packets.map(decodeRefusal)], [true, ['node-full']])
  assert.is((await meeting.enter(ROOM, 3)).isClosed, false)
  assert.equal([first.isClosed, second.isClosed], [false, false])
  const { networks, displaced, refusedConnections } = meeting.relay.counters()
  assert.equal([networks, displaced, refusedConnections], [1, 0, 1])
})

test('when there are too many networks, the one that was quiet for longest makes room', async () => {
  const meeting = openMeeting({ networks: 2 })
  const played = [await meeting.enter(ROOM, 1), await meeting.enter(ROOM, 2)]
  const lonely = await meeting.enter(OTHER_ROOM, 1)
  await meeting.clock.advance(59_000)
  played[0]?.send(PLAYED)
  await meeting.clock.advance(1000)
  const newcomer = await meeting.enter({ name: 'room 3', secret: 's' }, 1)
  const closed = [newcomer.isClosed, lonely.isClosed, ...played.map(({ isClosed }) => isClosed)]
  assert.equal(closed, [false, true, false, false])
  const { networks, members, displaced } = meeting.relay.counters()
  assert.equal([networks, members, displaced], [2, 3, 1])
  // It may come back, though not at once: both others were used a moment ago.
  assert.is((await meeting.enter(OTHER_ROOM, 1)).isClosed, true)
  await meeting.clock.advance(60_000)
  assert.is((await meeting.enter(OTHER_ROOM, 1)).isClosed, false)
})

test('networks of one name count each: the quietest of them makes room, and one that is in use never does', async () => {
  const meeting = openMeeting({ networks: 3 })
  const played = [await meeting.enter(ROOM, 1), await meeting.enter(ROOM, 2)]
  const strangers = []
  for (const secret of ['a', 'b']) strangers.push(await meeting.enter({ name: ROOM.name, secret }, 1))
  assert.is((await meeting.enter({ name: ROOM.name, secret: 'c' }, 1)).isClosed, true)
  for (const secret of ['c', 'd', 'e', 'f']) {
    await meeting.clock.advance(60_000)
    played[0]?.send(PLAYED)
    strangers.push(await meeting.enter({ name: ROOM.name, secret }, 1))
  }
  const closed = [...played, ...strangers].map(({ isClosed }) => isClosed)
  assert.equal(closed, [false, false, true, true, true, true, false, false])
  const { networks, displaced } = meeting.relay.counters()
  assert.equal([networks, displaced], [3, 4])
})

test('the limit of an address bounds how many networks of one name it opens, and the room of that name still opens', async () => {
  const meeting = openMeeting({ connectionsPerAddress: 3 })
  const strangers = []
  for (const secret of ['a', 'b', 'c', 'd'])
    strangers.push(await meeting.enter({ name: ROOM.name, secret }, 1, '192.0.2.66'))
  assert.equal(each(strangers, 'isClosed'), [false, false, false, true])
  assert.equal(
    strangers.slice(-1).flatMap(({ packets }) => packets.map(decodeRefusal)),
    ['address-limit'],
  )
  assert.equal([(await meeting.enter(ROOM, 7)).isClosed, meeting.relay.counters().networks], [false, 4])
  // They may enter rooms that others have opened, and open another one for each that they leave.
  assert.is((await meeting.enter(ROOM, 8, '192.0.2.66')).isClosed, false)
  strangers[0]?.hang()
  await meeting.clock.advance(0)
  assert.is((await meeting.enter({ name: ROOM.name, secret: 'd' }, 1, '192.0.2.66')).isClosed, false)
})

test('an empty network is forgotten, and the next member meets another peer id', async (meeting) => {
  const first = await meeting.enter(ROOM, 1)
  const second = await meeting.enter(ROOM, 2)
  assert.is(relayId(first), relayId(second))
  first.hang()
  await meeting.clock.advance(0)
  assert.is(meeting.relay.counters().networks, 1)
  assert.is(relayId(await meeting.enter(ROOM, 3)), relayId(second))
  second.hang()
  meeting.relay.close()
  await meeting.clock.advance(0)

  const other = openMeeting()
  const only = await other.enter(ROOM, 1)
  only.hang()
  await other.clock.advance(0)
  assert.equal([other.relay.counters().networks, other.clock.timers], [0, 0])
  assert.is.not(relayId(await other.enter(ROOM, 1)), relayId(only))
})

test.run()
