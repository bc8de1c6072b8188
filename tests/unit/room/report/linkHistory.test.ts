import { readLinkEvents } from '#core/room/report/linkEvents'
import { recordLinks } from '#core/room/report/linkHistory'
import { createFeed } from '#core/room/service/feed'
import type { PlayerConnection } from '#core/room/service/playerConnections'
import { createRoomLog } from '#core/room/service/roomLog'
import { createRoomState } from '#core/room/service/roomState'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('the history of connections')

const NODE = { url: 'tcp://8.8.4.4:1', latencyMs: 12, problem: undefined }
const NETWORK = { privacy: 'open', mappings: [], path: undefined, difficulty: undefined } as const
const STEVE: PlayerConnection = {
  machineId: '1'.repeat(32),
  group: null,
  path: 'relay',
  carrier: 'tcp',
  latencyMs: 40,
  loss: 0,
  sentBytesPerSecond: 0,
  receivedBytesPerSecond: 0,
  relayedBy: 'node',
  relayed: { code: 'searching', text: '', hint: '' },
}

function setUp() {
  const clock = createFakeClock()
  const feed = createFeed('run')
  const log = createRoomLog({ sink: SILENT, feed, clock, stopping: new AbortController().signal })
  const roomState = createRoomState({ feed, clock })
  const end = recordLinks({ feed, log })
  const events = () => readLinkEvents(log.text().split('\n'))
  return { clock, roomState, log, end, events }
}
const SILENT = silentLog()

test('nodes that come and go, and paths that change, are read out of the log again', async () => {
  const { clock, roomState, events, log } = setUp()
  const change = async (patch: Parameters<typeof roomState.update>[0]) => {
    roomState.update(patch)
    await clock.advance(1000)
  }
  roomState.transition({ stage: 'Host_Running', role: 'host' })
  await change({ network: { ...NETWORK, nodes: [{ ...NODE, state: 'connecting' }] } })
  await change({ network: { ...NETWORK, nodes: [{ ...NODE, state: 'connected' }] } })
  await change({ network: { ...NETWORK, nodes: [{ ...NODE, state: 'connected', latencyMs: 30 }] } })
  await change({ connections: [STEVE] })
  await change({ connections: [{ ...STEVE, latencyMs: 50 }] })
  await change({ connections: [{ ...STEVE, path: 'direct', relayed: null }] })
  await change({ network: { ...NETWORK, nodes: [{ ...NODE, state: 'failed' }] } })
  await change({ connections: [] })
  await change({ connections: [{ ...STEVE, path: 'direct', relayed: null }] })
  roomState.transition({ stage: 'Idle', role: null })
  assert.equal(
    events().map(({ at: _at, ...change }) => change),
    [
      { kind: 'state', state: 'host-ok', role: 'host' },
      { kind: 'node', node: 1, isConnected: true },
      { kind: 'player', player: 1, path: 'relay', relayed: 'searching' },
      { kind: 'player', player: 1, path: 'direct', relayed: null },
      { kind: 'node', node: 1, isConnected: false },
      { kind: 'player', player: 1, path: null, relayed: null },
      { kind: 'player', player: 1, path: 'direct', relayed: null },
      { kind: 'state', state: 'waiting', role: null },
    ],
  )
  assert.is(events()[1]?.at, new Date(clock.unixTime() - 8000).toISOString())
  assert.not.match(log.text(), /8\.8\.4\.4|1{32}/)
})

test('it ends when it is told to', () => {
  const { roomState, end, events } = setUp()
  end()
  roomState.transition({ stage: 'Host_Running', role: 'host' })
  assert.equal(events(), [])
})
