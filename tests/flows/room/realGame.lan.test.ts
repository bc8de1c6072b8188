import { startRelay } from '#support/network/relay'
import { closingOfEachTest } from '#support/process/closing'
import { startGameSession } from '#support/room/gameSession'
import { hasGame, WHY_NO_GAME } from '#support/room/realGame'
import { assert, suite } from '#support/runner/suite'

const test = suite('A real game on one machine', { timeoutMs: 180_000 })
const { keep } = closingOfEachTest(test)
const withGame = test.skipUnless(hasGame, WHY_NO_GAME)

withGame('two players who find each other on the LAN play and chat', async () => {
  const playing = keep(await startGameSession({}, {}))
  assert.is((await playing.guest.status()).network?.path, 'direct')
  await playing.chat()
  console.log(`guest-ok after ${Math.round(playing.tookMs)} ms`)
})

withGame('two players who reach each other through a relay alone play and chat', async () => {
  const relay = keep(await startRelay())
  const settings = { ROOM_NODES: relay.urls.tcp, ROOM_DIRECT: 'off' }
  const playing = keep(await startGameSession({ settings }, { settings }))
  assert.is((await playing.guest.status()).network?.path, 'relay')
  await playing.chat()
  console.log(`guest-ok after ${Math.round(playing.tookMs)} ms`)
  assert.ok(relay.counters().relayedBytes > 10_000)
})

test.run()
