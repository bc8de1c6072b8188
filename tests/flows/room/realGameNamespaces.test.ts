import { hasNamespaces, openInternet, openLan, WHY_NO_NAMESPACES } from '#support/namespaces/namespaces'
import { startRelayProcess } from '#support/network/relayProcess'
import { closingOfEachTest } from '#support/process/closing'
import { startServer } from '#support/process/serverProcess'
import { hasGame, WHY_NO_GAME } from '#support/room/realGame'
import { assert, suite } from '#support/runner/suite'
import { startGameSession } from './gameSession'

const test = suite('A real game between machines', { timeoutMs: 240_000 })
const { keep, add } = closingOfEachTest(test)
const withGame = test.skipUnless(hasNamespaces && hasGame, hasGame ? WHY_NO_NAMESPACES : WHY_NO_GAME)

withGame(
  'two machines on one LAN play and chat without a relay; the guest’s address leads nowhere for others',
  async () => {
    const lan = await openLan('host', 'guest', 'other')
    add(lan.remove)
    const settings = { ROOM_LAN_INTERFACES: 'lan0' }
    const playing = keep(await startGameSession({ ...lan.host, settings }, { ...lan.guest, settings }))
    assert.is((await playing.guest.status()).network?.path, 'direct')
    assert.is(playing.found?.address, lan.guest.address)
    await playing.chat()
    // The same address leads nowhere for others.
    const { gamePort } = await playing.guest.status()
    const url = `telnet://${lan.guest.address}:${gamePort}`
    const [program = '', ...args] = [...lan.other.inside, 'curl', '-sS', '-m', '5', url]
    const stranger = startServer(args, {}, program)
    await stranger.ended
    assert.match(stranger.stderr(), /reset|closed|refused|^$/i)
    assert.is(stranger.stdout(), '')
  },
)

withGame('two houses play and chat through a relay, where no other way leads', async () => {
  const internet = await openInternet('host', 'guest', 'relay')
  add(internet.remove)
  await internet.part('host', 'guest')
  const relay = keep(await startRelayProcess(internet.relay))
  const settings = { ROOM_LAN_INTERFACES: '', ROOM_NODES: relay.url }
  const playing = keep(
    await startGameSession({ ...internet.host, settings }, { ...internet.guest, settings }),
  )
  await playing.chat()
  assert.is((await playing.guest.status()).network?.path, 'relay')
})

test.run()
