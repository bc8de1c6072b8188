import { once } from 'node:events'
import { connect } from 'node:net'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import { startRelay } from '#support/network/relay'
import { closingOfEachTest } from '#support/process/closing'
import { type OpenRoom, openRoom } from '#support/room/openRoom'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import { until } from '#support/values/until'
import { createSlowClock, type SlowClock } from './slowClock'

// A game that is connected through the room, and one of the players leaves: both ends of the connection close at once.
// "At once" is before any time limit of the members or the relay could have ended it: from the parting on, all of them go
// by a clock that is twenty times slower than this machine's, and by it the end has to come within a second.
const test = suite('Leaving a room', { timeoutMs: 120_000 })

const { keep } = closingOfEachTest(test)

const PROMPT_MS = 1000
/** Longer than `PROMPT_MS` of the slow clock. */
const PATIENCE_MS = 30_000

/** How the two players reach each other. */
const LINES = ['tcp', 'udp', 'ws', 'direct'] as const

type Players = {
  readonly world: TestWorld
  readonly host: OpenRoom
  readonly guest: OpenRoom
  /** Lets it happen, and fails unless it is over within a second of the players' time. */
  readonly promptly: (parting: () => Promise<unknown>) => Promise<void>
}

for (const line of LINES) {
  test(`by ${line}: a guest is told at once that the host has closed the room`, () =>
    withPlayers(line, async ({ host, guest, promptly }) => {
      let stopped: Promise<void> | undefined
      await promptly(() => {
        stopped = host.service.stop()
        return guest.until('exception', PATIENCE_MS)
      })
      assert.is(guest.roomState.view().failure?.detail, 'The host has closed the room.')
      await stopped
    }))

  test(`by ${line}: the host's list loses a guest that leaves at once`, () =>
    withPlayers(line, async ({ host, guest, promptly }) => {
      assert.is(host.roomState.view().players.length, 2)
      let stopped: Promise<void> | undefined
      await promptly(() => {
        stopped = guest.service.stop()
        return patiently('the list has changed', () => host.roomState.view().players.length === 1)
      })
      await stopped
    }))

  // Whether a game sends is the same to every line.
  for (const isSending of line === 'direct' ? [false, true] : [true]) {
    const how = isSending ? 'while the game sends' : 'while the game is quiet'
    test(`by ${line}, ${how}: the world sees that a guest leaves, within a second`, () =>
      withPlayers(line, async ({ world, guest, promptly }) => {
        const before = world.connections()
        const game = await play(guest, isSending)
        await patiently('the world has the game', () => world.connections() === before + 1)
        await promptly(async () => {
          await guest.service.stop()
          await patiently('the world sees the end', () => world.connections() === before)
        })
        game.destroy()
      }))

    test(`by ${line}, ${how}: the guest's game sees that the host leaves, within a second`, () =>
      withPlayers(line, async ({ host, guest, promptly }) => {
        const game = await play(guest, isSending)
        const ended = new Promise((resolve) => game.once('close', resolve))
        await promptly(async () => {
          await host.service.stop()
          await ended
        })
      }))
  }
}

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
  const clock = createSlowClock()
  const relay = line === 'direct' ? undefined : keep(await startRelay({}, undefined, clock))
  const nodes = relay && line !== 'direct' ? [relay.urls[line]] : []
  const world = keep(await startWorld())
  const settings = { ROOM_NODES: nodes.join(',') }
  const open = () => keep(openRoom(network(nodes, clock), settings, clock))
  const [host, guest] = [open(), open()]
  await host.ask('/room/host/start', { gamePort: world.port })
  await host.until('host-ok', PATIENCE_MS)
  await guest.ask('/room/guest/start', { roomCode: host.roomState.view().room })
  await guest.until('guest-ok', PATIENCE_MS)
  await patiently('the probes have ended', () => world.connections() === 0)
  await work({
    world,
    host,
    guest,
    async promptly(parting) {
      clock.slowDown()
      const startedAt = clock.now()
      let took = 0
      await parting().finally(() => {
        took = clock.now() - startedAt
        clock.speedUp()
      })
      assert.ok(took < PROMPT_MS, `${took} ms`)
    },
  })
}

function patiently(what: string, isSo: () => boolean) {
  return until(what, isSo, { ms: PATIENCE_MS })
}

function network(nodes: readonly string[], clock: SlowClock) {
  const transports = createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() })
  return testRoomNetwork({ transports, nodes, isDirect: nodes.length === 0, clock })
}

test.run()
