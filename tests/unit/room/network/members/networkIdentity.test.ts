import { generateRoomCode, openNetworkOf } from '@lantern-room/protocol'
import { drawnIdentity, isRoomNetwork, privateIdentity } from '#internal/room/network/members/networkIdentity'
import { assert, suite } from '#support/runner/suite'

const test = suite('the names of rooms’ networks')

test('of open and private rooms are known', async () => {
  for (let number = 0; number < 100; number++)
    assert.ok(isRoomNetwork(openNetworkOf(generateRoomCode()).name))
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

test('a drawn secret gives a network of its own, which shared nodes take for a room', () => {
  const one = drawnIdentity(new Uint8Array(32).fill(1))
  assert.equal(drawnIdentity(new Uint8Array(32).fill(1)), one)
  const other = drawnIdentity(new Uint8Array(32).fill(2))
  assert.is(new Set([one.name, one.secret, other.name, other.secret].map((text) => text.slice(-64))).size, 4)
  assert.ok(isRoomNetwork(one.name))
})

test('the bytes of a code as a drawn secret are another network than that of the code', async () => {
  const code = 'L/ABCD-EFGH-JKLM-NPQR'
  const drawn = drawnIdentity(new TextEncoder().encode(code))
  const ofCode = await privateIdentity(code)
  assert.is.not(drawn.name, ofCode.name)
  assert.is.not(drawn.secret, ofCode.secret)
})

test.run()
