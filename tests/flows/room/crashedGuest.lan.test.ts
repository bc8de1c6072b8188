import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { closingOfEachTest } from '#support/process/closing'
import { testCommands } from '#support/room/roomCommand'
import { startWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { until } from '#support/values/until'

const test = suite('a guest whose program crashes', { timeoutMs: 120_000 })

const { keep, add } = closingOfEachTest(test)
const { start, makeFolder } = testCommands(test)
const CODE = /[UL](\/|-)[0-9A-Z]{4}(-[0-9A-Z]{4}){3}/

/** The game of a guest, which stays in the world: as it ends, the world shows that its player has left. */
async function play(port: number): Promise<void> {
  const game = connect(port, '127.0.0.1')
  add(async () => void game.destroy())
  game.on('error', () => undefined)
  game.write('echo in')
  await once(game, 'data')
}

for (const options of [[], ['--private']]) {
  test(`has left the world when the same player is back, ${options[0] ?? '--open'}`, async () => {
    const world = keep(await startWorld())
    const host = await start(['host', '--game-port', String(world.port), ...options], {
      DATA_DIR: await makeFolder(),
    })
    const [code] = await host.said(CODE)
    const join = ['join', code, '--name', 'Steve']
    const DATA_DIR = await makeFolder()
    const guest = await start(join, { DATA_DIR })
    const [, port] = await guest.said(/Direct Connection to 127\.0\.0\.1:(\d+)/)
    await play(Number(port))
    assert.is(world.connections(), 1)
    guest.child.kill('SIGKILL')
    await guest.ended
    await sleep(1000)
    // Nobody knows yet whether the guest is gone: it may be a line that was cut.
    assert.is(world.connections(), 1)
    const again = await start(join, { DATA_DIR })
    const [, portAgain] = await again.said(/Direct Connection to 127\.0\.0\.1:(\d+)/)
    await until('the former connection is closed', () => world.connections() === 0, { ms: 10_000 })
    await play(Number(portAgain))
    assert.is(world.connections(), 1)
  })
}

test.run()
