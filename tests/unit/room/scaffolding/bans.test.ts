import { createBans, NOWHERE, type Origin } from '#core/room/scaffolding/bans'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'

const test = suite('bans')

const HOME: Origin = { memberId: '1', address: '192.0.2.1' }
const player = (id: string) => ({ name: `name of ${id}`, machineId: id, vendor: 'X 1' })

test('nothing is banned at first, and lifting no ban has no effect', () => {
  const bans = createBans()
  bans.lift('a')
  assert.equal([bans.size, bans.list(), bans.stateOf('a')], [0, [], undefined])
  assert.equal(
    [bans.hasMember('1'), bans.hasRemovedMember('1'), bans.hasAddress('192.0.2.1')],
    [false, false, false],
  )
})

test('a removed player is banned with its member and address, a refused one is not removed', () => {
  const bans = createBans()
  bans.add(player('a'), 'removed', HOME)
  bans.add(player('b'), 'refused', { ...NOWHERE, memberId: '2' })
  assert.equal(bans.list(), [
    { id: 'a', name: 'name of a', vendor: 'X 1', state: 'removed' },
    { id: 'b', name: 'name of b', vendor: 'X 1', state: 'refused' },
  ])
  assert.equal([bans.stateOf('a'), bans.stateOf('b'), bans.size], ['removed', 'refused', 2])
  assert.equal(['1', '2', '3'].map(bans.hasMember), [true, true, false])
  assert.equal(['1', '2', '3'].map(bans.hasRemovedMember), [true, false, false])
  assert.equal(['192.0.2.1', '192.0.2.2'].map(bans.hasAddress), [true, false])
})

test('the last ban of a player counts', () => {
  const bans = createBans()
  bans.add(player('a'), 'refused', { ...NOWHERE, memberId: '2' })
  bans.add(player('a'), 'removed', HOME)
  assert.equal([bans.size, bans.stateOf('a'), bans.hasMember('2')], [1, 'removed', false])
})

test('lifting a ban frees its member and address, but no other player and no other member', () => {
  const bans = createBans()
  bans.add(player('a'), 'removed', HOME)
  bans.add(player('a2'), 'removed', HOME)
  bans.add(player('b'), 'removed', { memberId: '2', address: '192.0.2.2' })
  bans.lift('a')
  assert.equal([bans.stateOf('a'), bans.stateOf('a2'), bans.size], [undefined, 'removed', 2])
  assert.equal([bans.hasMember('1'), bans.hasAddress('192.0.2.1')], [false, false])
  assert.equal([bans.hasRemovedMember('2'), bans.hasAddress('192.0.2.2')], [true, true])
})

test('bans from nowhere do not share an origin', () => {
  const bans = createBans()
  bans.add(player('a'), 'removed', NOWHERE)
  bans.add(player('b'), 'removed', NOWHERE)
  bans.lift('a')
  assert.equal(each(bans.list(), 'id'), ['b'])
})

test('all bans that were kept hold again, with their origins', () => {
  const before = createBans()
  before.add(player('a'), 'removed', HOME)
  before.add(player('b'), 'refused', { ...NOWHERE, memberId: '2' })
  const bans = createBans(JSON.parse(JSON.stringify(before.all())))
  assert.equal(bans.list(), before.list())
  assert.equal(
    [bans.hasRemovedMember('1'), bans.hasMember('2'), bans.hasAddress('192.0.2.1')],
    [true, true, true],
  )
  bans.lift('a')
  assert.equal([bans.size, bans.hasMember('1'), before.size], [1, false, 2])
})
