import { once } from 'node:events'
import { connect } from 'node:net'
import * as assert from 'uvu/assert'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { createNodeTransports } from '#core/adapters/transports/nodeTransports'
import { startRelay } from '#support/network/relay'
import { type OpenRoom, openRoom, silentLog } from '#support/room/openRoom'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { suite } from '#support/runner/suite'
import { until } from '#support/values/until'

// A game that is connected through the room, and one of the players leaves: both ends of the connection close at once.
const test = suite('Leaving a room')

const PROMPT_MS = 1000

/** How the two players reach each other. */
const LINES = ['tcp', 'udp', 'ws', 'direct'] as const

type Players = { readonly world: TestWorld; readonly host: OpenRoom; readonly guest: OpenRoom }

for (const line of LINES) {
  test(`by ${line}: a guest is told at once that the host has closed the room`, () =>
    withPlayers(line, async ({ host, guest }) => {
      const startedAt = performance.now()
      const stopped = host.service.stop()
      await guest.until('exception')
      const took = performance.now() - startedAt
      assert.is(guest.roomState.view().failure?.detail, 'The host has closed the room.')
      assert.ok(took < PROMPT_MS, `${took} ms`)
      await stopped
    }))

  test(`by ${line}: the host's list loses a guest that leaves at once`, () =>
    withPlayers(line, async ({ host, guest }) => {
      assert.is(host.roomState.view().players.length, 2)
      const startedAt = performance.now()
      const stopped = guest.service.stop()
      await until('the list has changed', () => host.roomState.view().players.length === 1)
      assert.ok(performance.now() - startedAt < PROMPT_MS)
      await stopped
    }))

  for (const isSending of [false, true]) {
    const how = isSending ? 'while the game sends' : 'while the game is quiet'
    test(`by ${line}, ${how}: the world sees that a guest leaves, within a second`, () =>
      withPlayers(line, async ({ world, guest }) => {
        const before = world.connections()
        const game = await play(guest, isSending)
        assert.is(world.connections(), before + 1)
        const startedAt = performance.now()
        await guest.service.stop()
        await until('the world sees the end', () => world.connections() === before)
        assert.ok(performance.now() - startedAt < PROMPT_MS)
        game.destroy()
      }))

    test(`by ${line}, ${how}: the guest's game sees that the host leaves, within a second`, () =>
      withPlayers(line, async ({ host, guest }) => {
        const game = await play(guest, isSending)
        const ended = new Promise((resolve) => game.once('close', resolve))
        const startedAt = performance.now()
        await host.service.stop()
        await ended
        const took = performance.now() - startedAt
        assert.ok(took < PROMPT_MS, `${took} ms`)
      }))
  }
}

test.run()

/** A game's connection through the guest's forward, which has carried something. */
async function play(guest: OpenRoom, isSending: boolean) {
  const game = connect(guest.roomState.view().gamePort, '127.0.0.1')
  game.on('error', () => game.destroy())
  game.write('echo hello')
  await once(game, 'data')
  if (isSending) {
    game.write(new Uint8Array(1024 * 1024))
    game.pause()
  } else game.resume()
  return game
}

async function withPlayers(
  line: (typeof LINES)[number],
  work: (players: Players) => Promise<void>,
): Promise<void> {
  const relay = line === 'direct' ? undefined : await startRelay()
  const nodes = relay && line !== 'direct' ? [relay.urls[line]] : []
  const world = await startWorld()
  const settings = { ROOM_NODES: nodes.join(',') }
  const [host, guest] = [openRoom(network(nodes), settings), openRoom(network(nodes), settings)]
  try {
    await host.ask('/room/host/start', { gamePort: world.port })
    await host.until('host-ok')
    await guest.ask('/room/guest/start', { roomCode: host.roomState.view().room })
    await guest.until('guest-ok', 20_000)
    await until('the probes have ended', () => world.connections() === 0)
    await work({ world, host, guest })
  } finally {
    await Promise.all([host.close(), guest.close()])
    await world.close()
    await relay?.close()
  }
}

function network(nodes: readonly string[]) {
  const clock = createSystemClock()
  const transports = createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() })
  return testRoomNetwork({ transports, nodes, isDirect: nodes.length === 0, clock })
}
