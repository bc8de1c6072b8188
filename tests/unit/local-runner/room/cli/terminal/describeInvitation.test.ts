import { type Invitation, modListOf } from '#core/room/invitation'
import { generateRoomCode } from '#core/room/roomCode'
import { assert, suite } from '#support/runner/suite'
import { describeInvitation } from '../../../../../../local-runner/room/cli/terminal/describeInvitation'

const test = suite('what a player is told of an invitation')

const INVITATION: Invitation = {
  room: generateRoomCode(),
  nodes: [],
  gameVersion: '1.21.4',
  mods: modListOf(['sodium', 'lithium']),
  name: 'Alex',
  hostKey: new Uint8Array(32),
}

test('the host and its game', () => {
  const same = { gameVersion: '1.21.4', mods: modListOf(['Lithium', 'Sodium']) }
  assert.equal(describeInvitation(INVITATION, same), ['An invitation of Alex: version 1.21.4, 2 mods'])
  const bare = { ...INVITATION, gameVersion: undefined, mods: undefined, name: undefined }
  assert.equal(describeInvitation(bare, same), ['An invitation'])
})

test('what differs, if it is known here', () => {
  const lines = describeInvitation(INVITATION, { gameVersion: '1.20', mods: modListOf(['iris']) })
  assert.match(lines[1] ?? '', /^The versions differ: 1\.20 here, 1\.21\.4 at the host\./)
  assert.match(lines[2] ?? '', /^The mods differ: 1 mod here, 2 mods at the host\./)
  assert.is(describeInvitation(INVITATION, { gameVersion: undefined, mods: undefined }).length, 1)
  assert.equal(lines.slice(3), ['Missing here: lithium, sodium.', 'Missing at the host: iris.'])
  const none = describeInvitation(INVITATION, { gameVersion: undefined, mods: modListOf([]) })
  assert.match(none[1] ?? '', /no mods here/)
})

test.run()
