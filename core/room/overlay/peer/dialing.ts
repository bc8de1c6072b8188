import { abortReason } from '../../../errors'
import type { Clock } from '../../ports'
import { createAlarm } from '../../service/wait'
import type { Carriers, PacketLink } from '../carriers'
import type { UdpEndpoint } from '../links/udpEndpoint'
import type { NodeUrl } from '../wire/socketAddr'

export type Dialling = {
  readonly carriers: Carriers
  readonly udp: UdpEndpoint
  readonly clock: Clock
}

/** After this long another address is tried beside the one that does not answer. */
const STAGGER_MS = 250

/**
 * A link to a node, at whichever of its addresses answers first.
 * @throws Error in a few words when none answers in time; the signal's reason when it aborts
 */
export async function dialNode(
  url: NodeUrl,
  { carriers, udp, clock }: Dialling,
  limitMs: number,
  signal: AbortSignal,
): Promise<PacketLink> {
  const attempt = new AbortController()
  const cancel = clock.after(limitMs, () => attempt.abort(new Error(`no answer in ${limitMs / 1000} s`)))
  const either = AbortSignal.any([signal, attempt.signal])
  try {
    if (url.carrier === 'ws' || url.carrier === 'wss') return await carriers.dialWs(url, either)
    const addresses = await carriers.resolve(url.host, either)
    // A UDP socket speaks IPv4 only.
    const usable = url.carrier === 'udp' ? addresses.filter((address) => !address.includes(':')) : addresses
    return await firstOf(usable, clock, either, (address, one) => {
      const to = { address, port: url.port }
      return url.carrier === 'udp' ? udp.dial(to, one) : carriers.dialTcp(to, one)
    })
  } finally {
    cancel()
  }
}

/**
 * Tries one after the other, each a moment after the last or as soon as that has failed; the first that stands wins and
 * the others are closed.
 * @throws the last error, or the signal's reason
 */
export async function firstOf<T>(
  candidates: readonly T[],
  clock: Clock,
  signal: AbortSignal,
  dial: (candidate: T, signal: AbortSignal) => Promise<PacketLink>,
): Promise<PacketLink> {
  const rest = new AbortController()
  const either = AbortSignal.any([signal, rest.signal])
  const alarm = createAlarm(clock)
  let won: PacketLink | undefined
  let problem: unknown = new Error('it has no address that can be used')
  let open = 0

  const start = async (candidate: T) => {
    open += 1
    try {
      const link = await dial(candidate, either)
      if (won || either.aborted) link.close()
      else won = link
    } catch (error) {
      problem = error
    } finally {
      open -= 1
      alarm.ring()
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
    // Connected in the moment of the end: nobody would take it.
    won?.close()
    throw error
  } finally {
    rest.abort(new Error('another address was faster'))
  }
  if (won) return won
  throw signal.aborted ? abortReason(signal) : problem
}
