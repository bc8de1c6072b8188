import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Clock } from '#core/clock'
import { abortReason } from '#core/errors'
import { describeSocketError } from './describeSocketError'

const LIMIT_MS = 5000

/**
 * The addresses of a host, IPv4 first; a literal address at once.
 * @throws Error in a few words if there is none or no answer in 5 s, or the signal's reason
 */
export async function resolveHost(
  host: string,
  signal: AbortSignal,
  clock: Clock,
): Promise<readonly string[]> {
  if (signal.aborted) throw abortReason(signal)
  if (isIP(host) !== 0) return [host]
  let stopWaiting = () => {}
  const interrupted = new Promise<never>((_, reject) => {
    const abort = () => reject(abortReason(signal))
    const cancel = clock.after(LIMIT_MS, () => reject(new Error('no answer from the name server')))
    signal.addEventListener('abort', abort, { once: true })
    stopWaiting = () => {
      cancel()
      signal.removeEventListener('abort', abort)
    }
  })
  try {
    // The system's resolver cannot be cancelled; its late answer is ignored.
    return await Promise.race([addressesOf(host), interrupted])
  } finally {
    stopWaiting()
  }
}

async function addressesOf(host: string): Promise<readonly string[]> {
  try {
    const found = await lookup(host, { all: true })
    const inOrder = found.toSorted((one, other) => one.family - other.family)
    return [...new Set(inOrder.map(({ address }) => address))]
  } catch (error) {
    throw describeSocketError(error)
  }
}
