import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createGameProbe } from '@lantern-room/adapters/game'
import { createLanListener } from '@lantern-room/adapters/lan'
import { createSystemClock } from '@lantern-room/adapters/system'
import { createProbeHere, GameList, isVerified, legacyPing, modernPing } from '@lantern-room/game'
import { projectRoot, type ServerProcess, startServer } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('A real game', { timeoutMs: 90_000 })

const folder = join(projectRoot, 'tests', 'game')
const isInstalled = existsSync(join(folder, 'node_modules', 'minecraft-protocol'))
const withGame = test.skipUnless(isInstalled, 'no game: npm ci --prefix tests/game')
const motd = `Alice - Wörld ${process.pid}`
const log = silentLog()
const clock = createSystemClock()
const lan = { clock, log, interfaces: ['127.0.0.1'] }

let game: ServerProcess
let port: number

test.before(async () => {
  const args = ['--motd', motd, '--announce', '127.0.0.1']
  game = startServer([join(folder, 'server.mjs'), ...args], {})
  port = Number((await game.said(/"listening","port":(\d+)/, 60_000))[1])
})
test.after(async () => {
  game.signal('SIGTERM')
  await game.ended
})

withGame('its status is read, in the modern and in the old way', async () => {
  const { signal } = new AbortController()
  const at = { address: '127.0.0.1', port }
  const ask = (pings: Parameters<typeof createGameProbe>[0]['pings']) =>
    createGameProbe({ pings, timeoutMs: 20_000, clock })(at, signal)
  const status = { motd, version: '1.20.4', onlinePlayers: 0, maxPlayers: 8 }
  assert.equal(await ask([modernPing, legacyPing]), { by: 'modern', ...status })
  assert.equal(await ask([legacyPing]), { by: 'legacy', ...status })
})

withGame('it is found on the LAN and listed with its status', async () => {
  const stop = new AbortController()
  const probe = createGameProbe({ pings: [modernPing, legacyPing], clock })
  const list = new GameList({
    clock,
    probe,
    probeHere: createProbeHere(probe, () => []),
    isOwn: () => false,
    signal: stop.signal,
  })
  const listening = createLanListener(lan).listen(list.add, stop.signal)
  const mine = () => list.games().find((game) => game.motd === motd)
  while (!isVerified(mine()?.status)) await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(mine(), {
    address: '127.0.0.1',
    port,
    motd,
    isLocal: true,
    status: { by: 'modern', motd, version: '1.20.4', onlinePlayers: 0, maxPlayers: 8 },
  })
  assert.ok(list.localWorlds().some((world) => world.port === port))
  stop.abort()
  await listening
})

test.run()
