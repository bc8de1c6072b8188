import { type RoomCommand, testCommands } from '#support/room/roomCommand'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

const test = suite('room host --resume and room join --resume', { timeoutMs: 480_000 })

const CODE = /[UL](\/|-)[0-9A-Z]{4}(-[0-9A-Z]{4}){3}/
const ADDRESS = /Direct Connection to 127\.0\.0\.1:(\d+)/
const LIMIT_MS = 60_000
const { start: startIn, makeFolder } = testCommands(test)
let folder: Readonly<Record<'host' | 'guest' | 'other', string>>
let world: TestWorld

test.before.each(async () => {
  world = await startWorld()
  folder = { host: await makeFolder(), guest: await makeFolder(), other: await makeFolder() }
})
test.after.each(async () => {
  await world.close()
})

function start(player: keyof typeof folder, args: readonly string[]): RoomCommand {
  return startIn(args, { DATA_DIR: folder[player] })
}

async function host(args: readonly string[] = []): Promise<{ command: RoomCommand; code: string }> {
  const command = start('host', ['host', '--resume', ...args])
  await command.said(/Ctrl-C closes the room/, LIMIT_MS)
  const [code] = await command.said(CODE)
  return { command, code }
}

test('after a crash the same code, world and player are back, and who was removed stays out', async () => {
  const first = await host(['--name', 'Alex', '--game-port', String(world.port)])
  const steve = start('guest', ['join', '--resume', first.code, '--name', 'Steve'])
  await steve.said(ADDRESS, LIMIT_MS)
  const kim = start('other', ['join', first.code, '--name', 'Kim'])
  await first.command.said(/\+ Kim /, LIMIT_MS)
  first.command.child.stdin.write('kick kim\n')
  assert.is(await kim.ended, 1)
  for (const command of [steve, first.command]) await command.stop('SIGKILL')

  const again = await host()
  assert.is(again.code, first.code)
  assert.match(again.command.stdout(), new RegExp(`Found the world .*on port ${world.port}`))
  const back = start('guest', ['join', '--resume'])
  const [, port] = await back.said(ADDRESS, LIMIT_MS)
  assert.is(await world.echoThrough(Number(port), 'still here'), 'still here')
  await again.command.said(/\+ Steve /, LIMIT_MS)
  const kimAgain = start('other', ['join', first.code, '--name', 'Kim'])
  assert.is(await kimAgain.ended, 1)
  assert.match(kimAgain.stderr(), /has removed this player from the room/)

  // A code that is named goes before the room that was left.
  await back.stop('SIGKILL')
  const elsewhere = start('guest', ['join', '--resume', 'U/0000-0000-0000-0000'])
  assert.is(await elsewhere.ended, 1)
  assert.match(elsewhere.stderr(), /Nobody hosts this room/)
})

test('after a stop there is no room to go back to: a host opens a new one, a guest is told to name one', async () => {
  const first = await host(['--game-port', String(world.port)])
  const guest = start('guest', ['join', '--resume', first.code])
  await guest.said(ADDRESS, LIMIT_MS)
  for (const command of [guest, first.command]) await command.stop('SIGINT')

  const second = await host(['--game-port', String(world.port)])
  assert.is.not(second.code, first.code)
  const nowhere = start('guest', ['join', '--resume'])
  assert.is(await nowhere.ended, 2)
  assert.match(nowhere.stderr(), /There is no room to go back to\./)
})

test.run()
