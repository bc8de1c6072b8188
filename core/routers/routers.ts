import type { Clock } from '@lantern-room/base/async'
import { createDeferred, type Deferred, raceSignal, repeat } from '@lantern-room/base/async'
import type { Endpoint, MachineAccess, PortMapping, RouterAccess } from './ports'

/** A router that has agreed to open ports. */
export type Router<Mapping extends PortMapping = PortMapping> = {
  readonly method: Mapping['method']
  /**
   * Opens a port, or renews it.
   * @param externalPort the number that is asked for; the router may choose another one
   * @throws Error, or the signal's reason
   */
  map(
    transport: 'tcp' | 'udp',
    localPort: number,
    externalPort: number,
    signal: AbortSignal,
  ): Promise<Mapping>
}

export type RouterOptions = {
  readonly transports: MachineAccess
  readonly routers: RouterAccess
  readonly clock: Clock
}

/** How long a port stays open when it is not renewed. */
export const LEASE_MS = 600_000

/**
 * Asks by a socket of its own, again every `everyMs`, until there is an answer.
 * @param question.requests the packets that are sent at each try
 * @param question.take settles the answer, where a datagram is one
 * @throws what the answer is rejected with, or the signal's reason
 */
export async function askByDatagrams<A>(
  { transports, clock }: RouterOptions,
  question: {
    readonly to: Endpoint
    readonly everyMs: number
    readonly requests: readonly Uint8Array[]
    readonly take: (answered: Deferred<A>, bytes: Uint8Array, from: Endpoint) => void
  },
  signal: AbortSignal,
): Promise<A> {
  const { to, everyMs, requests, take } = question
  const socket = await transports.openUdp(0)
  const answered = createDeferred<A>()
  socket.onDatagram((bytes, from) => take(answered, bytes, from))
  const stop = repeat(clock, everyMs, signal, () => {
    for (const request of requests) socket.send(request, to)
  })
  try {
    return await raceSignal(answered.promise, signal)
  } finally {
    stop()
    socket.close()
    await socket.closed
  }
}
