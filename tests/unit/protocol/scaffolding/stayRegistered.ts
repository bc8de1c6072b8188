import { type Clock, sleep } from '@lantern-room/base/async'
import type { GuestConnection } from '@lantern-room/room/network'
import { createScaffoldingClient, handshake } from '#internal/protocol/scaffolding/client'

const PING_MS = 5000
const AGAIN_MS = 500

/** The machine id of the player with this name. */
export function playerIdOf(name: string): string {
  return `id-${name}`
}

/** Registers a player with the host by the room protocol, and keeps it registered until the signal aborts. */
export async function stayRegistered(
  session: GuestConnection,
  name: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const player = { name, machineId: playerIdOf(name), vendor: 'simulated' }
  while (!signal.aborted) {
    try {
      const stream = await session.dial(session.host.roomPort, signal)
      const client = createScaffoldingClient(stream, { clock, signal, supportsPipelining: true })
      await handshake(client, player)
      for (;;) {
        await sleep(clock, PING_MS, signal)
        await client.playerPing(player)
      }
    } catch {
      // The host is away, or the line is bad: what lasts is seen on the host's list.
      await sleep(clock, AGAIN_MS, signal).catch(() => undefined)
    }
  }
}
