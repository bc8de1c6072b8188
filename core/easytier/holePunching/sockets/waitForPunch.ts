import type { Clock } from '@lantern-room/base/async'
import { createDeferred, repeat, within } from '@lantern-room/base/async'
import type { Endpoint } from '#easytier/wire/socketAddress'
import type { PunchSocket } from './punchSockets'

/** A datagram of the other side has passed our router. */
export type ReceivedPunch = { readonly socket: PunchSocket; readonly from: Endpoint }

/**
 * The first punching datagram with this transaction id that one of the sockets receives.
 * @param options.send called at once and every `everyMs` until then
 * @throws Error when none arrives within `limitMs`, or the signal's reason
 */
export async function waitForPunch(
  clock: Clock,
  options: {
    readonly sockets: readonly PunchSocket[]
    readonly transactionId: number
    readonly limitMs: number
    readonly everyMs: number
    readonly send: () => void
    readonly signal: AbortSignal
  },
): Promise<ReceivedPunch> {
  const { sockets, transactionId, signal } = options
  const received = createDeferred<ReceivedPunch>()
  const ends = sockets.map((socket) =>
    socket.udp.onPunch(({ tid, from }) => {
      if (tid === transactionId) received.resolve({ socket, from })
    }),
  )
  const late = () => new Error('no datagram came through')
  const arrival = within(clock, options.limitMs, received.promise, late, signal)
  ends.push(repeat(clock, options.everyMs, signal, options.send))
  try {
    return await arrival
  } finally {
    for (const end of ends) end()
  }
}
