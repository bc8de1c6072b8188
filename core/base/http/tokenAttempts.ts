import { type Clock, sleep } from '../async/clock'
import { ServiceError } from '../errors'
import { addNewest, setNewest } from '../limits/boundedMemory'

/** Tokens that an address may try at once: more than a person mistypes, and than programs behind one address have. */
const ATTEMPTS = 20
/** Further ones are answered this far apart, right or wrong, so that guessing takes too long and the time of an answer tells nothing. */
const PACE_MS = 500
/** A client that would wait longer is told to come back. */
const MAX_WAIT_MS = 30_000
const MAX_ADDRESSES = 4096

/**
 * Slows down addresses that guess tokens. A token that was right from an address once is not slowed there again.
 * @example
 * const attempts = createTokenAttempts(clock)
 * await attempts.take(clientAddress(request, config), accepted, signal) // throws ServiceError `too-busy`
 */
export function createTokenAttempts(clock: Clock) {
  /** When the attempts of an address so far have all had their time, by the monotonic clock. */
  const spentUntil = new Map<string, number>()
  const known = new Set<string>()

  return {
    /**
     * Waits for the turn of an attempt.
     * @param accepted what names the token among those of the service; undefined = it is none of them
     * @throws ServiceError `too-busy`; the signal's reason
     */
    async take(address: string, accepted: number | undefined, signal: AbortSignal): Promise<void> {
      const key = accepted === undefined ? undefined : `${accepted} ${address}`
      if (key === undefined || !known.has(key)) {
        const now = clock.now()
        const spent = Math.max(now, spentUntil.get(address) ?? now) + PACE_MS
        const waitMs = spent - now - ATTEMPTS * PACE_MS
        if (waitMs > MAX_WAIT_MS) throw tooMany(Math.ceil(waitMs / 1000))
        setNewest(spentUntil, address, spent, MAX_ADDRESSES)
        if (waitMs > 0) await sleep(clock, waitMs, signal)
      }
      if (key !== undefined) addNewest(known, key, MAX_ADDRESSES)
    },
  }
}

function tooMany(retryAfterSeconds: number): ServiceError {
  const detail = `Too many wrong tokens came from this address. Try again in ${retryAfterSeconds} s, with the right one.`
  return new ServiceError('too-busy', detail, { retryAfterSeconds })
}
