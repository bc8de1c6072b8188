import { createGameProbe } from '@lantern-room/adapters/game'
import { createBedrockFinder } from '@lantern-room/adapters/lan'
import { createSystemClock } from '@lantern-room/adapters/system'
import { legacyPing, modernPing, raknetPing } from '@lantern-room/game'
import type { GameAnnouncement } from '@lantern-room/game/ports'
import { startBedrockWorld } from '#support/room/bedrockWorld'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('worlds of the Bedrock edition', { timeoutMs: 60_000 })

const never = new AbortController().signal
const probe = createGameProbe({
  pings: [modernPing, legacyPing],
  datagramPing: raknetPing,
  clock: createSystemClock(),
})
const PONG = { by: 'raknet', motd: 'Caves', version: '1.21.50', onlinePlayers: 2, maxPlayers: 10 } as const

test('the probe finds one, and its end', async () => {
  const world = await startBedrockWorld('Caves')
  const at = { address: '127.0.0.1', port: world.port }
  assert.equal(await probe(at, never), PONG)
  await world.close()
  assert.is(await probe(at, never), undefined)
})

test('a datagram is asked again, until the limit or the signal', async () => {
  const world = await startBedrockWorld('Caves')
  const at = { address: '127.0.0.1', port: world.port }
  let reads = 0
  let onRead = () => {}
  const deaf = {
    request: raknetPing.request,
    read() {
      reads += 1
      onRead()
      return undefined
    },
  }
  const vain = createGameProbe({ pings: [], datagramPing: deaf, clock: createSystemClock() })
  assert.is(await vain(at, never), undefined)
  assert.ok(reads > 1)
  const stop = new AbortController()
  const reason = new Error('stopped')
  onRead = () => stop.abort(reason)
  assert.is(await vain(at, stop.signal).catch((error: unknown) => error), reason)
  await world.close()
})

test('the finder tells of a world of this machine, and asks nothing while it is paused', async () => {
  const world = await startBedrockWorld('Caves')
  const stop = new AbortController()
  const finder = createBedrockFinder({
    clock: createSystemClock(),
    log: silentLog(),
    interfaces: ['127.0.0.1'],
    port: world.port,
  })
  let isPaused = true
  const found = new Promise<GameAnnouncement>((resolve) => {
    void finder
      .listen(resolve, stop.signal, () => isPaused)
      .then(() => assert.ok(stop.signal.aborted, 'it ends by the signal'))
  })
  await new Promise((resolve) => setTimeout(resolve, 300))
  assert.is(world.answered(), 0)
  isPaused = false
  assert.equal(await found, {
    address: '127.0.0.1',
    port: world.port,
    motd: 'Caves',
    isLocal: true,
    edition: 'bedrock',
  })
  stop.abort()
  await world.close()
})

test.run()
