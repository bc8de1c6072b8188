import { createMemoryText } from '../../../../support/room/memoryText'
import { type SimulatedRoom, simulatedRoomsOf } from '../../../../support/room/simulatedRooms'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('the room protocol of a hosted room')

const setting = simulatedRoomsOf(test)
let host: SimulatedRoom

test.before.each(() => {
  host = setting.open()
})

const shown = () => host.shown()

test('a guest that was removed stays so after a retry, though not in a new room of the same code', async () => {
  const close = host.machine.openWorld(30_000)
  const room = await host.host({ gamePort: 30_000, playerName: 'Alex' })
  const guest = setting.open()
  await guest.join(room)
  const id = host.roomState.view().players[1]?.machineId
  assert.is((await host.ask(`/room/guests/${id}/kick`, {})).status, 200)
  close()
  await setting.clock.advance(80_000)
  assert.is(shown().stage, 'Error')
  host.machine.openWorld(30_000)
  await host.ask('/room/retry', {})
  await setting.clock.advance(1000)
  const removed = () => host.roomState.view().guests.map((each) => [each.id, each.state])
  assert.equal([shown().stage, removed()], ['Host_Running', [[id, 'removed']]])
  const again = host.roomState.view()
  assert.equal([again.room, again.players[0]?.name], [room, 'Alex'], 'by the same order')
  await guest.ask('/room/retry', {})
  await setting.clock.advance(5000)
  assert.is(guest.roomState.view().failure?.code, 'removed')
  await host.service.stop()
  await host.host({ gamePort: 30_000, room })
  assert.equal(removed(), [])
})

test('what was ordered while the room was open holds after a retry, also after a restart', async () => {
  const keptRoom = createMemoryText()
  const ours = setting.open({ keptRoom })
  const closeFirst = ours.machine.openWorld(30_000)
  const ports = [{ name: 'voice', udp: 24_454 }]
  await ours.host({ gamePort: 30_000, ports, resume: true })
  const closeSecond = ours.machine.openWorld(31_000)
  for (const [path, order] of [
    ['ports', { ports: [] }],
    ['game', { gamePort: 31_000 }],
    ['admission', { allowed: ['Steve'] }],
  ] as const)
    assert.is((await ours.ask(`/room/host/${path}`, order)).status, 200)
  await setting.clock.advance(6000)
  assert.is(ours.shown().gamePort, 31_000)
  closeFirst()
  closeSecond()
  await setting.clock.advance(80_000)
  assert.is(ours.shown().stage, 'Error')
  ours.machine.openWorld(31_000)
  await ours.ask('/room/retry', {})
  await setting.clock.advance(6000)
  assert.equal([ours.shown().gamePort, ours.roomState.view().ports], [31_000, []])
  const { order } = JSON.parse(keptRoom.text ?? '')
  assert.equal([order.allowed, order.ports, order.gamePort], [['Steve'], [], 31_000])
})

test('a room port that is taken gives way to the next free one', async () => {
  host.machine.occupy([13_448, 13_449])
  await host.host({ waitForGame: false })
  assert.equal(host.machine.listening, [13_450])
  assert.is(((await (await host.ask('/meta')).json()) as { overlayPort: string }).overlayPort, '13450')
})

test.run()
