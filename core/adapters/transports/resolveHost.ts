import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Clock } from '#core/async/clock'
import { within } from '#core/async/deadline'
import { raceSignal } from '#core/async/onAbort'
import { abortReason } from '#core/errors'
import { describeSocketError } from './describeSocketError'

const LIMIT_MS = 5000

/**
 * The addresses of a host, IPv4 first; a literal address at once.
 * @throws Error in a few words when there is none or no name server answers in 5 s, or the signal's reason
 */
export async function resolveHost(
  host: string,
  signal: AbortSignal,
  clock: Clock,
): Promise<readonly string[]> {
  if (signal.aborted) throw abortReason(signal)
  if (isIP(host) !== 0) return [host]
  // The system's resolver cannot be stopped: a late answer is dropped.
  return await within(
    clock,
    LIMIT_MS,
    raceSignal(addressesOf(host), signal),
    () => new Error('no answer from the name server'),
  )
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
