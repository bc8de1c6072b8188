import { generateRoomCode } from '@lantern-room/protocol'
import { type Invitation, modListOf } from '@lantern-room/protocol/invitation'
import { terminalWords } from '@lantern-room/room/words'
import { assert, suite } from '#support/runner/suite'
import { describeInvitation } from '../../../../../../local-runner/room/cli/terminal/describeInvitation'

const WORDS = terminalWords('en')
const CHINESE = terminalWords('zh-CN')

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
  assert.equal(describeInvitation(INVITATION, same, WORDS), ['An invitation of Alex: version 1.21.4, 2 mods'])
  const bare = { ...INVITATION, gameVersion: undefined, mods: undefined, name: undefined }
  assert.equal(describeInvitation(bare, same, WORDS), ['An invitation'])
})

test('what differs, if it is known here', () => {
  const lines = describeInvitation(INVITATION, { gameVersion: '1.20', mods: modListOf(['iris']) }, WORDS)
  assert.match(lines[1] ?? '', /^The game differs: version 1\.20 here, version 1\.21\.4 at the host\./)
  assert.match(lines[2] ?? '', /^The game differs: 1 mod here, 2 mods at the host\./)
  assert.is(describeInvitation(INVITATION, { gameVersion: undefined, mods: undefined }, WORDS).length, 1)
  assert.equal(lines.slice(3), ['Missing here: lithium, sodium.', 'Missing at the host: iris.'])
  const none = describeInvitation(INVITATION, { gameVersion: undefined, mods: modListOf([]) }, WORDS)
  assert.match(none[1] ?? '', /no mods here/)
  const chinese = describeInvitation(INVITATION, { gameVersion: '1.20', mods: undefined }, CHINESE)
  assert.equal(chinese, [
    'Alex 的邀请：版本 1.21.4、2 个模组',
    '游戏不一致：这里是版本 1.20，房主是版本 1.21.4。可能无法进入。',
  ])
})

test.run()
