import { closingOfEachTest } from '#support/process/closing'
import { startRoomProcess } from '#support/room/roomProcess'
import { startWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

const test = suite('Two room services on one machine', { timeoutMs: 90_000 })

const { keep } = closingOfEachTest(test)

test('one hosts a world that it finds on the LAN, the other plays in it', async () => {
  const world = keep(await startWorld({ announced: true }))
  const host = keep(await startRoomProcess())
  const guest = keep(await startRoomProcess())
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
