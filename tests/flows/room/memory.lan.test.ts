import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { type OpenRoom, openRoom } from '#support/room/openRoom'
import type { RoomStatus } from '#support/room/roomProcess'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

const test = suite('A room over a network in memory')

let world: TestWorld
let host: OpenRoom
let guest: OpenRoom
const network = createMemoryNetwork()

test.before.each(async () => {
  world = await startWorld({ announced: true })
  host = openRoom(network.roomNetwork)
  guest = openRoom(network.roomNetwork, { ROOM_HEARTBEAT_MS: '200' })
})

test.after.each(async () => {
  await Promise.all([host.close(), guest.close()])
  await world.close()
  assert.equal(network.leaks(), [])
})

test('a guest reaches the world of a host by the room code', async () => {
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
