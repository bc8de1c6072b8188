import { assert, suite } from '#support/runner/suite'
import { crowdsOf } from '../../../../../../local-runner/ui/room/state/crowds'

const test = suite('crowds at the door')

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
