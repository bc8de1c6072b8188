import type { Profile } from '@lantern-room/protocol/browser'
import { assert, suite } from '#support/runner/suite'
import { comingsOf, crowdsOf } from '../../../../../../local-runner/ui/room/state/members'

const test = suite('joins, leaves, and crowds at the door')

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

const connection = (machineId: string, group: number | null) => ({
  machineId,
  group,
  path: 'direct' as const,
  carrier: 'udp',
  latencyMs: null,
  loss: null,
  sentBytesPerSecond: null,
  receivedBytesPerSecond: null,
  relayedBy: null,
  relayed: null,
})
const unregistered = (id: string) => ({ id, name: 'guest', vendor: '', state: 'unregistered' }) as const

test('four and more members without a player of one group are one line, others are not', () => {
  const ids = ['a', 'b', 'c', 'd', 'e']
  const connections = ids.map((id) => connection(id, 1))
  assert.equal(crowdsOf(ids.map(unregistered), connections), [{ group: 1, ids }])
  assert.equal(crowdsOf(ids.slice(2).map(unregistered), connections), [])
  const mixed = connections.map((one, at) => ({ ...one, group: at < 2 ? 2 : 1 }))
  assert.equal(crowdsOf(ids.map(unregistered), mixed), [])
  assert.equal(
    crowdsOf(
      ids.map(unregistered),
      ids.map((id) => connection(id, null)),
    ),
    [],
  )
  const waiting = ids.map((id) => ({ ...unregistered(id), state: 'waiting' as const }))
  assert.equal(crowdsOf(waiting, connections), [])
})

test.run()
