import { hasNamespaces, openInternet, openLan, WHY_NO_NAMESPACES } from '#support/namespaces/namespaces'
import { startRelayProcess } from '#support/network/relayProcess'
import { startServer } from '#support/process/serverProcess'
import { startGameSession } from '#support/room/gameSession'
import { hasGame, WHY_NO_GAME } from '#support/room/realGame'
import { assert, suite } from '#support/runner/suite'

const test = suite('A real game between machines', { timeoutMs: 240_000 })
const withGame = test.skipUnless(hasNamespaces && hasGame, hasGame ? WHY_NO_NAMESPACES : WHY_NO_GAME)

withGame('two machines on one LAN play and chat, without a relay', async () => {
  const lan = await openLan('host', 'guest')
  const settings = { ROOM_LAN_INTERFACES: '' }
  try {
    const playing = await startGameSession({ ...lan.host, settings }, { ...lan.guest, settings })
    try {
      assert.is((await playing.guest.status()).network?.path, 'direct')
      await playing.chat()
      console.log(`guest-ok after ${Math.round(playing.tookMs)} ms`)
    } finally {
      await playing.close()
    }
  } finally {
    await lan.remove()
  }
})

withGame(
  'a game that hears of the world on its LAN alone gets in by the address of its own machine',
  async () => {
    const lan = await openLan('host', 'guest', 'other')
    const settings = { ROOM_LAN_INTERFACES: 'lan0' }
    try {
      const playing = await startGameSession({ ...lan.host, settings }, { ...lan.guest, settings })
      try {
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
      } finally {
        await playing.close()
      }
    } finally {
      await lan.remove()
    }
  },
)

for (const isParted of [false, true]) {
  const way = isParted ? 'through a relay, where no other way leads' : 'from a relay on to a way of their own'
  withGame(`two houses on the internet play and chat ${way}`, async () => {
    const internet = await openInternet('host', 'guest', 'relay')
    if (isParted) await internet.part('host', 'guest')
    const relay = await startRelayProcess(internet.relay)
    const settings = { ROOM_LAN_INTERFACES: '', ROOM_NODES: relay.url }
    try {
      const playing = await startGameSession({ ...internet.host, settings }, { ...internet.guest, settings })
      try {
        await playing.chat()
        assert.is((await playing.guest.status()).network?.path, isParted ? 'relay' : 'direct')
        console.log(`guest-ok after ${Math.round(playing.tookMs)} ms`)
      } finally {
        await playing.close()
      }
    } finally {
      await relay.close()
      await internet.remove()
    }
  })
}
