import { closingOfEachTest } from '#support/process/closing'
import { folderOfEachTest } from '#support/process/tempFolder'
import { type RoomProcess, startRoomProcess } from '#support/room/roomProcess'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

const test = suite('Two room services on one machine', { timeoutMs: 90_000 })

const { keep } = closingOfEachTest(test)
const hostFolder = folderOfEachTest(test, 'room-host')
let world: TestWorld
let guest: RoomProcess
let host: RoomProcess

test.before.each(async () => {
  world = keep(await startWorld({ announced: true }))
  host = await startHost()
  guest = keep(await startRoomProcess())
})

async function startHost(): Promise<RoomProcess> {
  return keep(await startRoomProcess({ dataDir: hostFolder() }))
}

test('one hosts a world that it finds on the LAN, the other plays in it', async () => {
  const code = await host.host('Alex')
  await host.until('Host_Running')
  await guest.join(code, 'Steve')
  await guest.until('Guest_Running')
  const { gamePort, players } = await guest.status()
  assert.is(await world.echoThrough(gamePort, 'hello'), 'hello')
  assert.equal(
    players.map(({ name, kind }) => `${name} ${kind}`),
    ['Alex HOST', 'Steve LOCAL'],
  )
})

test.run()
