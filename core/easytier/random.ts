import { viewOf } from '#core/bytes'

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

/** Never 0, which means no peer. */
export function randomPeerId(randomBytes: RandomBytes): number {
  return random32(randomBytes) || 1
}

type RandomBytes = (size: number) => Uint8Array
