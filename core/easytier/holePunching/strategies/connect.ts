import { sleep } from '#core/async/alarm'
import type { PunchContext } from '../punchContext'
import type { Heard } from '../sockets/waitForPunch'
import { limited } from '../timing'

/** How often a connection is begun over an open way. A real listener rarely passes over the Syn or the handshake. */
const TRIES = 3
const SYN_MS = 3000
const HANDSHAKE_MS = [1200, 1200, 5000]

/**
 * Connects over a way that has been opened, towards where the other side was heard from.
 * @param signal aborts as soon as there is a link to the member: that is how this ends well
 * @throws Error when there is none
 */
export async function connectThrough(
  { clock, attach, log }: PunchContext,
  { socket, from }: Heard,
  peerId: number,
  signal: AbortSignal,
): Promise<never> {
  log.debug('a way is open', { member: peerId })
  for (let at = 0; at < TRIES; at += 1) {
    const link = await limited(clock, SYN_MS, signal, (either) => socket.udp.dial(from, either))
    socket.carry(link)
    attach(link, { isDialler: true, expectPeer: peerId, isPunched: true })
    await sleep(clock, HANDSHAKE_MS[at] ?? 0, signal)
  }
  throw new Error('the way is open, and nobody answers')
}
