import { viewOf } from '@lantern-room/base/bytes'

/**
 * A u32, as ids of connections, transactions and calls are.
 * @param randomBytes from a cryptographic source
 */
export function random32(randomBytes: RandomBytes): number {
  return viewOf(randomBytes(4)).getUint32(0)
}

/** A u64 as decimal text, as the messages hold it. */
export function random64(randomBytes: RandomBytes): string {
  return String(viewOf(randomBytes(8)).getBigUint64(0))
}

/** A u32 that is never 0, which stands for none: the id of a peer, the number of a punching attempt. */
export function randomId(randomBytes: RandomBytes): number {
  return random32(randomBytes) || 1
}

/** From 0 up to 1. */
export function randomFraction(randomBytes: RandomBytes): number {
  return random32(randomBytes) / 2 ** 32
}

/** A local port for TCP connections that need a known one: above the usual services. */
export function randomLocalPort(randomBytes: RandomBytes): number {
  return 20_000 + (random32(randomBytes) % 40_000)
}

type RandomBytes = (size: number) => Uint8Array
