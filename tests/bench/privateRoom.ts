import { loadavg } from 'node:os'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { privateIdentity } from '#core/room/network/networkIdentity'
import { generatePrivateRoomCode, generateRoomCode, type RoomPrivacy } from '#core/room/roomCode'
import { AS_FAST_AS_IT_CAN, startRelayProcess } from '#support/network/relayProcess'
import { openRoom } from '#support/room/openRoom'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { startWorld } from '#support/room/testWorld'
import { createVirtualNet } from '#support/virtualNet/virtualNet'
import { median } from './measure'
import { speedOf, transfer } from './roomThroughput'

const ROUNDS = 2
const JOINS = 7
const ROUND_TRIP_MS = 100

/** What the encryption of private rooms costs: throughput as a ratio to open rooms, and round trips of a join. */
export async function benchPrivateRoom(): Promise<void> {
  await benchThroughput()
  await benchJoins()
}

/** Open and private take turns, so that both have the same neighbours on the machine. */
async function benchThroughput(): Promise<void> {
  console.log('\na private room beside an open one, one stream from host to guest, 64 MB, loopback; medians')
  const relay = await startRelayProcess(undefined, AS_FAST_AS_IT_CAN)
  try {
    for (const way of ['tcp', 'udp'] as const) {
      const speeds: Record<RoomPrivacy, number[]> = { open: [], private: [] }
      const costs: Record<RoomPrivacy, number[]> = { open: [], private: [] }
      for (let round = 0; round < ROUNDS; round += 1) {
        for (const room of [generateRoomCode(), generatePrivateRoomCode()]) {
          const outcome = await transfer(['host', 'guest'], [way, room.text, relay.url])
          speeds[room.privacy].push(speedOf(outcome))
          costs[room.privacy].push(Math.max(outcome.host.cpuSeconds, outcome.guest.cpuSeconds))
        }
      }
      const [open, closed] = [median(speeds.open), median(speeds.private)]
      console.log(
        `  direct by ${way}  open ${open.toFixed(0)} MB/s, private ${closed.toFixed(0)} MB/s,` +
          ` ratio ${(closed / open).toFixed(2)}, by the CPU time of the busier end ${(median(costs.open) / median(costs.private)).toFixed(2)}` +
          `  goal ≥ 0.8   load ${loadavg()[0]?.toFixed(1)}`,
      )
    }
  } finally {
    await relay.close()
  }
}

async function benchJoins(): Promise<void> {
  const stretching: number[] = []
  for (let round = 0; round < JOINS; round += 1) {
    const startedAt = performance.now()
    await privateIdentity(generatePrivateRoomCode().text)
    stretching.push(performance.now() - startedAt)
  }
  const joins = { open: await timesOfJoins('open'), private: await timesOfJoins('private') }
  const added = median(joins.private) - median(joins.open) - median(stretching)
  console.log(
    `  guesting → guest-ok with a round trip of ${ROUND_TRIP_MS} ms: open ${median(joins.open).toFixed(0)} ms, private ` +
      `${median(joins.private).toFixed(0)} ms, of which ${median(stretching).toFixed(0)} ms stretch the code:` +
      ` ${(added / ROUND_TRIP_MS).toFixed(2)} round trips more  goal ≤ 1   load ${loadavg()[0]?.toFixed(1)}`,
  )
}

/** Two players on a network in memory, where only the distance takes time. */
async function timesOfJoins(privacy: RoomPrivacy): Promise<readonly number[]> {
  const clock = createSystemClock()
  const net = createVirtualNet({ clock, random: Math.random, delayMs: ROUND_TRIP_MS / 2 })
  const networkAt = (address: string) =>
    testRoomNetwork({ transports: net.machine(address).transports, clock })
  const world = await startWorld()
  const host = openRoom(networkAt('192.168.1.2'))
  const guest = openRoom(networkAt('192.168.1.3'))
  const times: number[] = []
  try {
    await host.ask('/room/host/start', { gamePort: world.port, private: privacy === 'private' })
    await host.until('host-ok')
    for (let round = 0; round < JOINS; round += 1) {
      const startedAt = performance.now()
      await guest.ask('/room/guest/start', { roomCode: host.roomState.view().room })
      await guest.until('guest-ok', 20_000)
      times.push(performance.now() - startedAt)
      await guest.service.stop()
    }
    return times
  } finally {
    await Promise.all([host.close(), guest.close()])
    await world.close()
  }
}
