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
  assert.equal([bans.stateOfMember('1'), bans.membersAt('192.0.2.1')], [undefined, 0])
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
  assert.equal(['1', '2', '3'].map(bans.stateOfMember), ['removed', 'refused', undefined])
  assert.equal(['192.0.2.1', '192.0.2.2'].map(bans.membersAt), [1, 0])
  bans.add(player('c'), 'removed', { memberId: '2' })
  assert.is(bans.stateOfMember('2'), 'removed')
  bans.add(player('d'), 'refused', { memberId: '4', address: '192.0.2.1' })
  bans.add(player('e'), 'refused', { memberId: '4', address: '192.0.2.1' })
  assert.is(bans.membersAt('192.0.2.1'), 2, 'members, not players')
})

test('the last ban of a player counts', () => {
  const bans = createBans()
  bans.add(player('a'), 'refused', { ...NOWHERE, memberId: '2' })
  bans.add(player('a'), 'removed', HOME)
  assert.equal([bans.size, bans.stateOf('a'), bans.stateOfMember('2')], [1, 'removed', undefined])
})

test('lifting a ban frees its member and address, but no other player and no other member', () => {
  const bans = createBans()
  bans.add(player('a'), 'removed', HOME)
  bans.add(player('a2'), 'removed', HOME)
  bans.add(player('b'), 'removed', { memberId: '2', address: '192.0.2.2' })
  bans.lift('a')
  assert.equal([bans.stateOf('a'), bans.stateOf('a2'), bans.size], [undefined, 'removed', 2])
  assert.equal([bans.stateOfMember('1'), bans.membersAt('192.0.2.1')], [undefined, 0])
  assert.equal([bans.stateOfMember('2'), bans.membersAt('192.0.2.2')], ['removed', 1])
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
    [bans.stateOfMember('1'), bans.stateOfMember('2'), bans.membersAt('192.0.2.1')],
    ['removed', 'refused', 1],
  )
  bans.lift('a')
  assert.equal([bans.size, bans.stateOfMember('1'), before.size], [1, undefined, 2])
})

test.run()
