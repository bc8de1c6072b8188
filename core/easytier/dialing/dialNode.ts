import { type Clock, createAlarm, withDeadline } from '@lantern-room/base/async'
import { addressesOf, type Listener } from '../transport/namedNode'
import type { Connection, Transports } from '../transport/transports'
import type { UdpTransport } from '../transport/udpTransport'

export type Dialling = {
  readonly transports: Transports
  readonly udp: UdpTransport
  readonly clock: Clock
}

/** An address that has not answered after this long is joined by the next one. */
const STAGGER_MS = 250

/**
 * A connection to a node, at the first of its addresses that answers.
 * @throws OutboundRefusal where none of them may be asked, Error with a short text when none answers in time; the signal's reason when
 *   it aborts
 */
export async function dialNode(
  node: Listener,
  { transports, udp, clock }: Dialling,
  limitMs: number,
  signal: AbortSignal,
): Promise<Connection> {
  const late = () => new Error(`no answer in ${limitMs / 1000} s`)
  return withDeadline(clock, limitMs, signal, late, async (either) => {
    const { url } = node
    const addresses = await addressesOf(node, transports, either)
    return firstOf(addresses, clock, either, (address, one) => {
      const to = { address, port: url.port }
      if (url.scheme === 'udp') return udp.dial(to, one)
      return url.scheme === 'tcp' ? transports.dialTcp(to, one) : transports.dialWs(url, address, one)
    })
  })
}

/**
 * Dials the candidates one after the other, each 250 ms after the one before or as soon as that has failed. The first
 * connection wins, and the others are closed.
 * @throws the last error, or the signal's reason
 */
export async function firstOf<T>(
  candidates: readonly T[],
  clock: Clock,
  signal: AbortSignal,
  dial: (candidate: T, signal: AbortSignal) => Promise<Connection>,
): Promise<Connection> {
  const rest = new AbortController()
  const either = AbortSignal.any([signal, rest.signal])
  const alarm = createAlarm(clock)
  let won: Connection | undefined
  let problem: unknown = new Error('it has no address that can be used')
  let open = 0

  const start = async (candidate: T) => {
    open += 1
    try {
      const connection = await dial(candidate, either)
      if (won || either.aborted) connection.close()
      else won = connection
    } catch (error) {
      problem = error
    } finally {
      open -= 1
      alarm.wake()
    }
  }

  try {
    for (const candidate of candidates) {
      void start(candidate)
      await alarm.wait(STAGGER_MS, signal)
      if (won) break
    }
    while (!won && open > 0) await alarm.wait(60_000, signal)
  } catch (error) {
    // It was opened at the moment of the abort, so no caller would close it.
    won?.close()
    throw error
  } finally {
    rest.abort(new Error('another address was faster'))
  }
  if (won) return won
  throw signal.aborted ? signal.reason : problem
}
