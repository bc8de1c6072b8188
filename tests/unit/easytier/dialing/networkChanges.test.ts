import { watchNetworkChanges } from '#core/easytier/dialing/networkChanges'
import type { NodeStatus } from '#core/easytier/dialing/sharedNodes'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('easytier: changes of the network', { setUp: watch })

test('another address is suspected when all shared nodes are lost, and when the first one is back', async () => {
  const { told, nodes, wait } = watch()
  nodes('connecting', 'connecting')
  nodes('connected', 'connecting')
  nodes('connected', 'connected')
  await wait(20_000)
  nodes('failed', 'connected')
  assert.equal(told, [])
  nodes('failed', 'failed')
  assert.equal(told, ['address'])
  nodes('failed', 'failed')
  assert.equal(told, ['address'])
  nodes('failed', 'connected')
  assert.equal(told, ['address', 'address'])
  nodes('connected', 'connected')
  assert.equal(told, ['address', 'address'])
})

test('a node that is back before the loss of the other is noticed was lost with it; long before, it was not', async () => {
  const { told, nodes, wait } = watch()
  nodes('connected', 'connected')
  await wait(20_000)
  nodes('failed', 'connected')
  nodes('connected', 'connected')
  await wait(20_000)
  nodes('connected', 'failed')
  nodes('connected', 'connected')
  assert.equal(told, [])
  await wait(5000)
  nodes('failed', 'connected')
  assert.equal(told, ['address'])
})

test('nodes that were never there are not lost', ({ told, nodes }) => {
  nodes('connecting')
  nodes('failed')
  nodes('connected')
  assert.equal(told, [])
})

test('another network is told until the watch is closed', ({ told, change, close }) => {
  change()
  assert.equal(told, ['network'])
  close()
  change()
  assert.equal(told, ['network'])
})

function watch() {
  const clock = createFakeClock()
  const told: string[] = []
  const listeners = new Set<() => void>()
  let statuses: readonly NodeStatus[] = []
  const changes = watchNetworkChanges({
    transports: {
      onNetworkChange(listener) {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
    },
    nodes: () => statuses,
    clock,
    log: silentLog(),
    onOtherNetwork: () => told.push('network'),
    onOtherAddress: () => told.push('address'),
  })
  return {
    told,
    wait: clock.advance,
    close: changes.close,
    change: () => {
      for (const listener of listeners) listener()
    },
    nodes(...states: readonly NodeStatus['state'][]) {
      statuses = states.map((state, at) => ({
        url: `tcp://x:${at}`,
        state,
        latencyMs: undefined,
        problem: undefined,
      }))
      changes.nodesChanged()
    },
  }
}

test.run()
