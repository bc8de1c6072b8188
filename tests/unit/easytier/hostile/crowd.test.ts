import { rpcMethods } from '@lantern-room/easytier/wire'
import { encodePeerRecord } from '#internal/easytier/wire/peerRecord'
import { assert, suite } from '#support/runner/suite'
import { recordOf } from '../relay/records'
import { type AttackedRoom, GAME_PORT, HOST_ADDRESS, openAttackedRoom, tell } from './attackedRoom'

const test = suite('easytier: a crowd of memberships of one machine', { timeoutMs: 120_000 })

const CROWD = 90
const FIRST_ID = 1000

/** Each is a member of its own, with its own connection and record. */
async function joinCrowd(room: AttackedRoom) {
  const crowd = []
  for (let at = 0; at < CROWD; at += 1) {
    const member = await room.joinAttacker(FIRST_ID + at)
    tell(member, [encodePeerRecord(recordOf(member.id, `crowd ${at}`))])
    await room.clock.advance(1)
    crowd.push(member)
  }
  return crowd
}

const isOfCrowd = (peerId: number) => peerId >= FIRST_ID && peerId < FIRST_ID + CROWD

/** Whether the host answers calls of the friend, and its stream. */
async function isServed(room: AttackedRoom): Promise<boolean> {
  const friend = await room.joinFriend()
  await room.clock.advance(1000)
  let isAnswered = false
  const { request } = rpcMethods.getGlobalPeerMap
  friend.call(room.host.ownId, 'getGlobalPeerMap', request.encode({}), 3000, ({ kind }) => {
    isAnswered = kind !== 'silence'
  })
  const dialling = friend.dial(room.host.ownId, { address: HOST_ADDRESS, port: GAME_PORT })
  await room.clock.advance(100)
  const stream = await dialling
  await stream.write(Uint8Array.of(7))
  const reading = stream.read()
  await room.clock.advance(100)
  return isAnswered && (await reading)?.[0] === 7 && room.host.peer(friend.ownId) !== undefined
}

test('a friend takes the place of the oldest of them, which is disconnected', async () => {
  const room = await openAttackedRoom(() => false)
  const crowd = await joinCrowd(room)
  assert.is(await isServed(room), true)
  assert.ok(room.host.peers().length < 80)
  assert.equal([crowd[0]?.far.isClosed, crowd.at(-1)?.far.isClosed], [true, false])
  // The guest who was there before is another machine.
  await room.checkStream()
  await room.close()
})

test('a member that is to stay keeps its place, and members without a say make room', async () => {
  const room = await openAttackedRoom(({ peerId }) => isOfCrowd(peerId) && peerId < FIRST_ID + 63)
  const crowd = await joinCrowd(room)
  assert.is(await isServed(room), true)
  assert.equal(
    [crowd[0]?.far.isClosed, crowd[62]?.far.isClosed, crowd[63]?.far.isClosed],
    [false, false, true],
  )
  await room.checkStream()
  await room.close()
})

test.run()
