import type { Clock } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { THIS_MACHINE } from '#internal/protocol/members'
import { createScaffoldingClient, handshake } from '#internal/protocol/scaffolding/client'
import { createPlayerRegistry } from '#internal/protocol/scaffolding/players/registry'
import { createScaffoldingServer } from '#internal/protocol/scaffolding/server'
import { silentLog } from '#support/values/testLog'
import { OPEN_SERVER } from './openPolicy'

// The room protocol as a launcher speaks it beside the real network program.

const player = (name: string) => ({ name, machineId: name.padStart(32, '0'), vendor: 'Another launcher 1.0' })

/** @returns what serves a connection of the room protocol */
export function openOtherHost(options: {
  readonly gamePort: number
  readonly clock: Clock
  readonly signal: AbortSignal
}): (stream: ByteStream) => void {
  const { gamePort, clock, signal } = options
  const registry = createPlayerRegistry({ host: player('a1e4'), clock, signal })
  const server = createScaffoldingServer({
    ...OPEN_SERVER,
    registry,
    gamePort: () => gamePort,
    onGamePort: () => () => {},
    clock,
    log: silentLog(),
    signal,
  })
  return (stream) => void server.serve(stream, THIS_MACHINE)
}

/** Greets a host over this connection, and asks who is there. @returns the world that it tells of */
export async function greetAsOther(
  stream: ByteStream,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<unknown> {
  const client = createScaffoldingClient(stream, { clock, signal })
  const { world } = await handshake(client, player('57e7e'))
  await client.profiles()
  return world
}
