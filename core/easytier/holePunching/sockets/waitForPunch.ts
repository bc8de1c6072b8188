import type { Clock } from '#core/clock'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import { abortReason } from '#core/errors'
import { repeat } from '../timing'
import type { PunchSocket } from './punchSockets'

/** A datagram of the other side has come through. */
export type Heard = { readonly socket: PunchSocket; readonly from: Endpoint }

/**
 * The first of the sockets that hears the number, and from where. Sends all the while.
 * @throws Error when nothing comes in time, or the signal's reason
 */
export function waitForPunch(
  clock: Clock,
  options: {
    readonly sockets: readonly PunchSocket[]
    readonly tid: number
    readonly limitMs: number
    readonly everyMs: number
    readonly send: () => void
    readonly signal: AbortSignal
  },
): Promise<Heard> {
  const { sockets, tid, signal } = options
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(abortReason(signal))
    const takeOff: (() => void)[] = []
    const finish = (settle: () => void) => {
      for (const off of takeOff) off()
      signal.removeEventListener('abort', onAbort)
      settle()
    }
    const onAbort = () => finish(() => reject(abortReason(signal)))
    signal.addEventListener('abort', onAbort, { once: true })
    for (const socket of sockets) {
      takeOff.push(
        socket.udp.onPunch((heard, from) => {
          if (heard === tid) finish(() => resolve({ socket, from }))
        }),
      )
    }
    takeOff.push(
      clock.after(options.limitMs, () => finish(() => reject(new Error('no datagram came through')))),
    )
    takeOff.push(repeat(clock, options.everyMs, signal, options.send))
  })
}
