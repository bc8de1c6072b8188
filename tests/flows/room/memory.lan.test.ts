import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { closingOfEachTest } from '#support/process/closing'
import { openRoom } from '#support/room/openRoom'
import type { RoomStatus } from '#support/room/roomProcess'
import { startWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

const test = suite('A room over a network in memory')

const { keep } = closingOfEachTest(test)
const network = createMemoryNetwork()

test.after.each(() => assert.equal(network.leaks(), []))

test('a guest reaches the world of a host by the room code', async () => {
  const world = keep(await startWorld({ announced: true }))
  const host = keep(openRoom(network.roomNetwork))
  const guest = keep(openRoom(network.roomNetwork, { ROOM_HEARTBEAT_MS: '200' }))
  assert.is((await host.ask('/state/scanning?player=Alex')).status, 200)
  await host.until('host-ok')
  const { room } = host.roomState.view()
  const answer = await guest.ask(`/state/guesting?room=${encodeURIComponent(room ?? '')}&player=Steve`)
  assert.is(answer.status, 200)
  await guest.until('guest-ok')
  const status = (await (await guest.ask('/room/status')).json()) as RoomStatus
  assert.is(status.state, 'Guest_Running')
  assert.is(await world.echoThrough(status.gamePort, 'hello'), 'hello')
  assert.equal(
    status.players.map(({ name, kind }: { name: string; kind: string }) => [name, kind]),
    [
      ['Alex', 'HOST'],
      ['Steve', 'LOCAL'],
    ],
  )
})

test.run()
