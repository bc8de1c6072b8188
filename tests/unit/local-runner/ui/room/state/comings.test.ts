import type { Profile } from '#core/room/profiles'
import { assert, suite } from '#support/runner/suite'
import { comingsOf } from '../../../../../../local-runner/ui/room/state/comings'

const test = suite('joins and leaves')

const players = (...names: readonly string[]): readonly Profile[] =>
  names.map((name) => ({ name, machineId: `id of ${name}`, vendor: '', kind: 'GUEST' }))

test('players who came and who left are told, those who left first', () => {
  assert.equal(comingsOf(players('Alex', 'Steve'), players('Alex', 'Bob'), 7), [
    { name: 'Steve', id: 'id of Steve', isIn: false, at: 7 },
    { name: 'Bob', id: 'id of Bob', isIn: true, at: 7 },
  ])
})

test('the players of a room that was just entered or left are no news', () => {
  assert.equal(comingsOf([], players('Alex'), 7), [])
  assert.equal(comingsOf(players('Alex'), [], 7), [])
})

test.run()
