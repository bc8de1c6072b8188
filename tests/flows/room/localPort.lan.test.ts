import { closingOfEachTest } from '#support/process/closing'
import { openSocketServer } from '#support/process/openPort'
import { testCommands } from '#support/room/roomCommand'
import { startWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

const test = suite('the port of a world on a guest’s machine', { timeoutMs: 120_000 })

const { keep } = closingOfEachTest(test)
const { start, makeFolder } = testCommands(test)
const CODE = /[UL](\/|-)[0-9A-Z]{4}(-[0-9A-Z]{4}){3}/

/** A room whose world listens on a port of its own each time. @returns where it is here, as a guest with this folder is told */
async function evening(code: string | undefined, folders: Folders, ...options: readonly string[]) {
  const world = await startWorld({ announced: true })
  const named = code === undefined ? [] : ['--room', code]
  const host = await start(['host', '--game-port', String(world.port), ...named], { DATA_DIR: folders.host })
  const [room] = await host.said(CODE)
  const guest = await start(['join', room, ...options], { DATA_DIR: folders.guest })
  const [, port] = await guest.said(/Direct Connection to 127\.0\.0\.1:(\d+)/)
  assert.is(await world.echoThrough(Number(port), 'hello'), 'hello')
  return {
    room,
    port: Number(port),
    guest,
    async end() {
      await guest.stop('SIGINT')
      await host.stop('SIGINT')
      await world.close()
    },
  }
}

type Folders = { readonly host: string; readonly guest: string }

test('stays the same from one evening to the next, though the host’s changes', async () => {
  const folders = { host: await makeFolder(), guest: await makeFolder() }
  const first = await evening(undefined, folders)
  await first.end()
  const second = await evening(first.room, folders)
  assert.is(second.port, first.port)
  await second.end()

  // Taken for one evening: that is said, and the next one has it again.
  const other = keep(await openSocketServer(() => {}, first.port))
  const third = await evening(first.room, folders)
  assert.is.not(third.port, first.port)
  await third.guest.said(new RegExp(`Another program of this computer uses port ${first.port}`))
  await third.end()
  await other.close()
  const fourth = await evening(first.room, folders)
  assert.is(fourth.port, first.port)
  await fourth.end()
})

test('is the one that the player names, also later', async () => {
  const folders = { host: await makeFolder(), guest: await makeFolder() }
  const named = await evening(undefined, folders, '--local-port', '25999')
  assert.is(named.port, 25_999)
  await named.end()
  const later = await evening(named.room, folders)
  assert.is(later.port, 25_999)
  await later.end()
})

test.run()
