import { closingOfEachTest } from '#support/process/closing'
import { type RoomCommand, testCommands } from '#support/room/roomCommand'
import { startWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

const test = suite('room host: several who wait', { timeoutMs: 60_000 })

const { keep } = closingOfEachTest(test)
const { start: startIn, makeFolder } = testCommands(test)

const start = async (args: readonly string[]) => startIn(args, { DATA_DIR: await makeFolder() })

const isInside = (player: RoomCommand) => /Direct Connection to 127/.test(player.stdout())

test('y answers the one who was asked about last, and nobody else when that one has gone', async () => {
  const world = keep(await startWorld({ announced: true }))
  const host = await start(['host', '--approval', '--game-port', String(world.port)])
  const [code] = await host.said(/U\/\w{4}(-\w{4}){3}/)
  const type = (line: string) => host.child.stdin.write(`${line}\n`)
  const join = (name: string) => start(['join', code, '--name', name])

  const anna = await join('Anna')
  await host.said(/\? Anna \(.* wants to join: y or n/)
  const bob = await join('Big Bob')
  await host.said(/\? Big Bob \(.* wants to join, too\. Waiting: “Anna”, “Big Bob”\./)
  type('y')
  await host.said(/Big Bob is let in\. Waiting: “Anna”\. Answer by y NAME or n NAME\./)
  await bob.said(/Direct Connection to 127/)
  type('y')
  await host.said(/Big Bob is not waiting any more; nobody was let in or refused\. Waiting: “Anna”\./)

  const carl = await join('Carl')
  await host.said(/\? Carl .* Waiting: “Anna”, “Carl”\./)
  await carl.stop('SIGINT')
  type('y')
  // The answer is Carl's, whether the host's program knows by now that he has left.
  await host.said(/Carl is (not waiting any more|let in)/)
  assert.is(isInside(anna), false)

  const dora = await join('Dora')
  await host.said(/\? Dora .*/)
  type('n dora')
  await host.said(/Dora is refused/)
  assert.is(await dora.ended, 1)
  type('y')
  await host.said(/Dora is not waiting any more; nobody was let in or refused\. Waiting: “Anna”/)
  type('y Nobody')
  await host.said(/No such player: Nobody\. Waiting: “Anna”/)
  assert.is(isInside(anna), false)
  type('y anna')
  await anna.said(/Direct Connection to 127/)
})

test.run()
