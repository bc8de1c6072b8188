import * as assert from 'uvu/assert'
import { playerIdIn } from '#core/room/playerId'
import { generateRoomCode } from '#core/room/roomCode'
import { suite } from '#support/runner/suite'

const test = suite('a player’s id in a room')

test('it is the same in one room, another one in each, and tells nothing of the lasting one', () => {
  const [one, other] = [generateRoomCode(), generateRoomCode()]
  const lasting = '0123456789abcdef0123456789abcdef'
  const id = playerIdIn(one, lasting)
  assert.match(id, /^[0-9a-f]{32}$/)
  assert.is(playerIdIn(one, lasting), id)
  assert.not.equal(playerIdIn(other, lasting), id)
  assert.not.equal(playerIdIn(one, lasting.replace('0', '1')), id)
  assert.not.ok(id.includes(lasting.slice(0, 6)))
})

test.run()
