import { type Clock, within } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { createScaffoldingClient } from '#internal/protocol/scaffolding/client'

const ANSWER_MS = 5000

/**
 * Asks a host for the secret of its room's network, with a proof that is nobody's: unregistered, and then as this player.
 * @returns the secret, if it was told. @throws Error when there is no answer in 5 s
 */
export async function askForSecret(
  stream: ByteStream,
  as: { readonly name: string; readonly machineId: string },
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  const client = createScaffoldingClient(stream, { clock, signal, supportsPipelining: true })
  const proof = new Uint8Array(32).fill(7)
  const ask = () => within(clock, ANSWER_MS, client.network(proof), () => new Error('no answer'))
  await ask()
  await client
    .playerPing({ name: as.name, machineId: as.machineId, vendor: 'simulated' })
    .catch(() => undefined)
  return ask()
}
