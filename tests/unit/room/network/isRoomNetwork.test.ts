import * as assert from 'uvu/assert'
import { isRoomNetwork } from '#core/room/network/isRoomNetwork'
import { privateIdentity } from '#core/room/network/privateIdentity'
import { generateRoomCode } from '#core/room/roomCode'
import { suite } from '#support/runner/suite'

const test = suite('the names of rooms’ networks')

test('of open and private rooms are known', async () => {
  for (let number = 0; number < 100; number++) assert.ok(isRoomNetwork(generateRoomCode().networkName))
  assert.ok(isRoomNetwork((await privateIdentity('L/0000-0000-0000-0000')).name))
  assert.ok(isRoomNetwork(`probe-${'0f'.repeat(12)}`))
})

test('of other networks are not', () => {
  for (const name of [
    '',
    'default',
    'my-vpn',
    'scaffolding-mc-AAAA',
    'scaffolding-mc-AAAA-AAAA-x',
    'private-name-ff',
  ]) {
    assert.is(isRoomNetwork(name), false, name)
  }
})

test.run()
