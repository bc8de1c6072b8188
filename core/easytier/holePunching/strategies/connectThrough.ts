import { sleep, withDeadline } from '@lantern-room/base/async'
import type { ReceivedPunch } from '../sockets/waitForPunch'
import type { PunchContext } from './punchContext'

const SYN_MS = 3000
/** One for each connection to try over an open path: a real listener rarely ignores the Syn or the handshake. */
const HANDSHAKE_MS = [1200, 1200, 5000]

/**
 * Connects over an open path, to where the other side's datagram came from.
 * @param signal aborts as soon as the member is connected, which is how this succeeds
 * @throws Error when no handshake succeeds
 */
export async function connectThrough(
  { clock, attach, log }: PunchContext,
  { socket, from }: ReceivedPunch,
  peerId: number,
  signal: AbortSignal,
): Promise<never> {
  log.debug('hole punching opened a path', { member: peerId })
  const noAnswer = () => new Error(`no answer in ${SYN_MS / 1000} s`)
  for (const handshakeMs of HANDSHAKE_MS) {
    const connection = await withDeadline(clock, SYN_MS, signal, noAnswer, (either) =>
      socket.udp.dial(from, either),
    )
    socket.carry(connection)
    attach(connection, { isDialler: true, expectPeer: peerId, isPunched: true })
    await sleep(clock, handshakeMs, signal)
  }
  throw new Error('the path is open, but no handshake succeeded')
}
