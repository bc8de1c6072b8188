import { sleep } from '@lantern-room/base/async'
import { equalBytes, viewOf } from '@lantern-room/base/bytes'
import type { GuestConnection } from '@lantern-room/room/network'
import { createPrng, type Prng } from '#support/values/prng'
import { GAME_PORT, type Home, type SimulationContext } from './simulationContext'

/** Sends some datagrams to the host's game, which sends them back: each that comes has to be one that went, byte by byte. */
export async function exchangeDatagrams(
  { trace }: SimulationContext,
  home: Home,
  session: GuestConnection,
  chance: Prng,
  signal: AbortSignal,
): Promise<void> {
  const seed = chance.integer(1, 1e9)
  const flow = session.datagrams(GAME_PORT)
  const count = chance.integer(1, 6)
  const sizes = Array.from({ length: count }, () =>
    chance.pick([8, 200, 1200, 3000, chance.integer(8, 9000)]),
  )
  flow.onDatagram((bytes) => {
    const index = bytes.length < 8 ? -1 : viewOf(bytes).getUint32(4)
    const size = sizes[index]
    const isWhole = size !== undefined && equalBytes(bytes, datagram(seed, index, size))
    if (!isWhole) trace.violate(`a datagram of ${bytes.length} bytes that nobody has sent`)
  })
  try {
    for (const [index, size] of sizes.entries()) {
      flow.send(datagram(seed, index, size))
      await sleep(home.clock, chance.integer(1, 400), signal)
    }
    await sleep(home.clock, 1500, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    flow.close()
  }
  await flow.closed
}

function datagram(seed: number, index: number, size: number): Uint8Array {
  const bytes = createPrng(seed + index).bytes(size)
  viewOf(bytes).setUint32(0, seed)
  viewOf(bytes).setUint32(4, index)
  return bytes
}
