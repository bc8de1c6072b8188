import { untilAborted } from '@lantern-room/base/async'
import { createScaffoldingClient, type HostedWorld } from '@lantern-room/protocol/client'
import { RoomFailure } from '#internal/room/failure'
import type { HostOptions } from '#internal/room/roomNetwork'
import { createMemoryText } from '#support/room/memoryText'
import { type SimulatedRoom, simulatedRoomsOf } from '../../../../support/room/simulatedRooms'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('hosting')

const setting = simulatedRoomsOf(test)
let host: SimulatedRoom

test.before.each(() => {
  host = setting.open()
})

const shown = () => host.shown()
const RUNNING = { stage: 'Host_Running', url: null, notice: null, code: undefined }

/** What `c:server_port` says to a member. */
async function toldPort(): Promise<HostedWorld> {
  const stop = new AbortController()
  const session = await setting.member(host, stop.signal)
  const stream = await session.dial(session.host.roomPort)
  const client = createScaffoldingClient(stream, {
    clock: setting.clock,
    signal: stop.signal,
    supportsPipelining: true,
  })
  try {
    return await client.serverPort()
  } finally {
    stop.abort()
    await stream.closed
  }
}

test('a player is not asked to open a world that could not be heard', async () => {
  let tellHeld = (_isHeld: boolean) => {}
  const held = setting.open({
    lanListeners: [
      {
        async listen(_onAnnouncement, signal, _isPaused, onHeld) {
          tellHeld = (isHeld) => onHeld?.(isHeld)
          await untilAborted(signal)
        },
      },
    ],
  })
  await held.ask('/room/host/start', { playerName: 'Alex' })
  await setting.clock.advance(100)
  const noticed = () => held.shown().notice?.code
  assert.equal([held.shown().stage, noticed()], ['Host_GameDetecting', 'open-world'])
  tellHeld(true)
  assert.is(noticed(), 'lan-port-taken')
  tellHeld(false)
  assert.is(noticed(), 'open-world')
  await held.ask('/room/stop', {})
  await held.host({ waitForGame: false })
  assert.is(noticed(), 'world-missing')
  tellHeld(true)
  assert.is(noticed(), 'lan-port-taken', 'in a room that was opened before its world, too')
})

test('dead nodes are not used, and the status says why; those of /config/nodes are, from the next room on', async () => {
  const opened: (readonly string[] | undefined)[] = []
  const measured = setting.open({
    roomNetwork: {
      ...setting.network.roomNetwork,
      host(options: HostOptions) {
        opened.push(options.nodes)
        return setting.network.roomNetwork.host(options)
      },
    },
    probeNode: async (url) =>
      url.includes('dead') ? { problem: 'refused' } : { latencyMs: 1, isSharedNode: true },
    env: { ROOM_NODES: 'tcp://dead:1,tcp://good:1' },
  })
  await measured.host({ waitForGame: false, nodes: ['udp://own:1'] })
  assert.equal(opened, [['tcp://good:1', 'udp://own:1']])
  const { network } = measured.roomState.view()
  assert.equal(
    network?.nodes.map(({ url, state, problem }) => [url, state, problem]),
    [['tcp://dead:1', 'failed', 'not used, since others answered when the room was opened: refused']],
  )
  assert.is((await measured.ask('/config/nodes', { nodes: ['ws://other:80', 'tcp://dead:2'] })).status, 200)
  await measured.ask('/room/stop', {})
  await measured.host({ waitForGame: false })
  assert.equal(opened[1], ['ws://other:80'])
})

test('a world that is gone is waited for 60 s, while guests are told that there is none', async () => {
  const close = host.machine.openWorld(30_000)
  await host.host({ gamePort: 30_000 })
  close()
  await setting.clock.advance(15_500)
  const { notice } = shown()
  assert.equal(shown(), { ...RUNNING, gamePort: 0, notice })
  assert.match(
    notice?.text ?? '',
    /^Your world “A world” does not answer any more\. Open it again .*none is shared unasked/,
  )
  assert.is(await toldPort(), 'not-started')
  await setting.clock.advance(59_000)
  assert.is(shown().stage, 'Host_Running')
  assert.is(await toldPort(), 'not-started')
  await setting.clock.advance(3000)
  assert.equal([shown().stage, shown().code], ['Error', 'game-gone'])
  const { failure, room, players, role } = host.roomState.view()
  assert.equal([failure?.type, failure?.stage, role, players], [4, 'Host_Running', 'host', []])
  assert.match(failure?.hint ?? '', /Open your world to LAN again/)
  assert.ok(room)
})

test('a world that has moved from the port that was chosen is found where it is after a crash, too', async () => {
  const keptRoom = createMemoryText()
  const before = setting.open({ keptRoom })
  const close = before.machine.openWorld(30_000, { announced: true })
  await before.host({ gamePort: 30_000, resume: true })
  await setting.clock.advance(5000)
  close()
  await setting.clock.advance(15_500)
  before.machine.openWorld(30_001, { announced: true })
  await setting.clock.advance(3000)
  assert.is(before.roomState.view().gamePort, 30_001)
  const { text } = keptRoom
  await before.service.stop()
  const after = setting.open({ keptRoom: createMemoryText(text) })
  after.machine.openWorld(30_001, { announced: true })
  assert.ok(await after.resume())
  await setting.clock.advance(3000)
  assert.is(after.shown().gamePort, 30_001)
})

test('a room that was opened without a world has no time limit', async () => {
  await host.host({ waitForGame: false })
  assert.equal([shown().stage, shown().gamePort], ['Host_Running', 0])
  await setting.clock.advance(3_600_000)
  assert.is(shown().stage, 'Host_Running')
  assert.is(await toldPort(), 'not-started')
  host.machine.openWorld(30_000, { announced: true })
  await setting.clock.advance(3000)
  assert.is(await toldPort(), 30_000)
})

test('the nodes that a launcher gives reach the network, in every way to host and to join', async () => {
  const { roomNetwork } = setting.network
  const given: (readonly string[] | undefined)[] = []
  const stop = async ({ nodes }: Pick<HostOptions, 'nodes'>) => {
    given.push(nodes)
    throw new RoomFailure('network-failed', 'Not here.')
  }
  const room = setting.open({ roomNetwork: { ...roomNetwork, host: stop, join: stop } })
  const query = 'public_nodes=tcp://a&public_nodes=wg://b:1&public_nodes=https://c/list'
  const code = 'U/YNZE-U61D-2206-HXRG'
  const nodes = ['tcp://a']
  room.machine.openWorld(30_000)
  for (const order of [
    () => room.ask(`/state/scanning?gamePort=30000&${query}`),
    () => room.ask(`/state/guesting?room=${code}&${query}`),
    () => room.ask(`/state/guesting?room=${code}&public_nodes=tcp://a`),
    () => room.ask('/room/host/start', { gamePort: 30_000, nodes }),
    () => room.ask('/room/guest/start', { roomCode: code, nodes }),
    () => room.ask('/room/guest/start', { roomCode: code, nodes: null }),
  ]) {
    assert.is((await order()).status, 200)
    await setting.clock.advance(0)
    await room.service.stop()
  }
  const all = ['tcp://a:11010', 'https://c:443/list']
  assert.equal(given, [all, all, ['tcp://a:11010'], ['tcp://a:11010'], ['tcp://a:11010'], []])
})

test.run()
