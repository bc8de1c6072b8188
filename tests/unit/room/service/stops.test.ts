import { openNetworkOf } from '@lantern-room/protocol'
import { createScaffoldingClient } from '@lantern-room/protocol/client'
import type { HostConnection, RoomNetwork } from '#internal/room/roomNetwork'
import type { Stage } from '#internal/room/service/state/stages'
import { createMemoryText } from '#support/room/memoryText'
import { type SimulatedRoom, simulatedRoomsOf } from '#support/room/simulatedRooms'
import { roomOf } from '#support/room/testRoomNetwork'
import { assert, suite } from '#support/runner/suite'

const test = suite('stopping')

const setting = simulatedRoomsOf(test)

/** Stops as soon as the stage is there, before anything else can happen. @returns whether it came */
function stopAt(room: SimulatedRoom, stage: Stage): () => boolean {
  let hasCome = false
  room.feed.subscribe(() => {
    if (hasCome || room.roomState.view().stage !== stage) return
    hasCome = true
    queueMicrotask(() => void room.service.stop())
  })
  return () => hasCome
}

const HOST_STAGES: readonly Stage[] = [
  ...(['Host_Prepare', 'Host_GameDetecting', 'Host_ScaffoldingStarting', 'Host_NetworkStarting'] as const),
  'Host_Running',
]
const GUEST_STAGES: readonly Stage[] = [
  ...(['Guest_Prepare', 'Guest_NetworkStarting', 'Guest_DiscoveringCenter'] as const),
  ...(['Guest_ConnectingScaffolding', 'Guest_Running', 'Guest_Reconnecting'] as const),
]

for (const stage of HOST_STAGES)
  test(`a host in ${stage} leaves nothing, needs no time, and can begin again`, async () => {
    const host = setting.open()
    host.machine.openWorld(30_000)
    await setting.clock.advance(0)
    const timers = setting.clock.timers
    const hasCome = stopAt(host, stage)
    await host.host({ gamePort: 30_000 })
    await setting.clock.advance(0)
    assert.ok(hasCome())
    assert.is(host.roomState.view().stage, 'Idle')
    assert.is(setting.clock.timers, timers)
    assert.equal([host.machine.listening, host.machine.connections, setting.network.leaks()], [[], 0, []])
    await host.host({ gamePort: 30_000 })
    assert.is(host.roomState.view().stage, 'Host_Running')
    assert.equal(host.machine.listening, [13_448])
  })

for (const stage of GUEST_STAGES)
  test(`a guest in ${stage} leaves nothing, needs no time, and can begin again`, async () => {
    const [host, guest] = [setting.open(), setting.open()]
    host.machine.openWorld(30_000)
    const room = await host.host({ gamePort: 30_000 })
    const hasCome = stopAt(guest, stage)
    await guest.join(room)
    setting.network.cut(openNetworkOf(roomOf(room)).name)
    await setting.clock.advance(0)
    assert.ok(hasCome())
    assert.equal([guest.roomState.view().stage, guest.roomState.view().players], ['Idle', []])
    assert.equal([guest.machine.listening, guest.machine.connections, guest.machine.announced], [[], 0, []])
    assert.equal(setting.network.leaks(), ['1 hosts'])
    await guest.join(room)
    assert.is(guest.roomState.view().stage, 'Guest_Running')
  })

test('host, stop, host without waiting: the second room stands alone', async () => {
  const host = setting.open()
  host.machine.openWorld(30_000)
  const first = await host.host({ gamePort: 30_000 })
  const stopping = host.service.stop()
  const second = await host.host({ gamePort: 30_000 })
  await stopping
  assert.is.not(second, first)
  assert.equal([host.roomState.view().stage, host.roomState.view().room], ['Host_Running', second])
  // The second waited until the first had let its port go.
  assert.equal(host.machine.listening, [13_448])
  assert.equal(setting.network.leaks(), ['1 hosts'])
})

test('any number of stops at a time end together', async () => {
  const host = setting.open()
  await host.host({ waitForGame: false })
  await Promise.all([host.service.stop(), host.service.stop(), host.ask('/state/ide'), host.service.stop()])
  assert.is(host.roomState.view().stage, 'Idle')
  const idles = host.stages.filter((stage) => stage === 'Idle')
  assert.is(idles.length, 1)
})

test('a network that answers after the stop moves nothing, and its session is closed', async () => {
  const late = createLateNetwork(setting.network.roomNetwork)
  const host = setting.open({ roomNetwork: late.roomNetwork })
  await host.host({ waitForGame: false })
  assert.is(host.roomState.view().stage, 'Host_NetworkStarting')
  const stopping = host.service.stop()
  assert.is(host.roomState.view().stage, 'Stopping')
  const opening = host.host({ waitForGame: false, playerName: 'Second' })
  await setting.clock.advance(0)
  assert.is(host.roomState.view().stage, 'Host_Prepare')
  late.answer()
  await Promise.all([stopping, opening])
  await setting.clock.advance(0)
  // The late answer was for the first room; the second waits for its own.
  assert.is(host.roomState.view().stage, 'Host_NetworkStarting')
  assert.is(host.roomState.view().players[0]?.name, 'Second')
  late.answer()
  await setting.clock.advance(0)
  assert.is(host.roomState.view().stage, 'Host_Running')
})

test('a world that answers after the stop moves nothing', async () => {
  const host = setting.open()
  host.machine.openWorld(30_000, { mute: true })
  const opening = host.host({ gamePort: 30_000 })
  // The port is asked first whether it is a service of ours.
  await setting.clock.advance(1000)
  await opening
  assert.is(host.roomState.view().stage, 'Host_GameDetecting')
  await setting.clock.advance(2000)
  await host.service.stop()
  const second = await host.host({ gamePort: 1 })
  await setting.clock.advance(20_000)
  assert.equal([host.roomState.view().stage, host.roomState.view().room], ['Host_GameDetecting', second])
  assert.is(host.roomState.view().gamePort, 0)
})

/** A network that lets each answer wait, even longer than its signal allows. */
function createLateNetwork(real: RoomNetwork) {
  const waiting: (() => void)[] = []
  const roomNetwork: RoomNetwork = {
    ...real,
    async host(options): Promise<HostConnection> {
      const session = await real.host(options)
      await new Promise<void>((resolve) => waiting.push(resolve))
      return session
    },
  }
  return { roomNetwork, answer: () => waiting.shift()?.() }
}

test('what a room learns while it says goodbye is not kept for the next one', async () => {
  const keptRoom = createMemoryText()
  const host = setting.open({ keptRoom })
  await host.host({ waitForGame: false, gamePort: 30_000, resume: true })
  const leaving = new AbortController()
  const member = await setting.member(host, leaving.signal)
  const stream = await member.dial(member.host.roomPort)
  const client = createScaffoldingClient(stream, { clock: setting.clock, signal: leaving.signal })
  const told = client.untilClosing()
  // It is asked for its world each second, and says goodbye to a member that does not hang up for half a second.
  await setting.clock.advance(700)
  const stopped = host.service.stop()
  const next = await host.ask('/room/host/start', { gamePort: 40_000, resume: true })
  assert.is(next.status, 200)
  host.machine.openWorld(30_000)
  await setting.clock.advance(499)
  assert.is(host.roomState.view().stage, 'Host_Prepare')
  await setting.clock.advance(1000)
  await stopped
  const { order, world } = JSON.parse(keptRoom.text ?? '')
  assert.equal([order.gamePort, world], [40_000, undefined])
  assert.is(await told, 'closing')
  leaving.abort()
})

test.run()
