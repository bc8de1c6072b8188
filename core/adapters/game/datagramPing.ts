import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { onAbort } from '#core/async/onAbort'
import { abortReason } from '#core/errors'
import type { DatagramPing } from '#core/room/game/ports'
import type { GameStatus } from '#core/room/ports'

/** A datagram may get lost. */
const AGAIN_MS = 300

/**
 * Asks a game server by one datagram, again while nothing answers.
 * @returns undefined when nothing answers in time, or the port is closed
 * @throws the signal's reason
 */
export async function askByDatagram(
  { address, port }: { readonly address: string; readonly port: number },
  ping: DatagramPing,
  limitMs: number,
  signal: AbortSignal,
): Promise<GameStatus | undefined> {
  if (signal.aborted) throw abortReason(signal)
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4')
  const timers: NodeJS.Timeout[] = []
  let unsubscribe = () => {}
  try {
    return await new Promise<GameStatus | undefined>((resolve, reject) => {
      const send = () => socket.send(ping.request(), () => {})
      unsubscribe = onAbort(signal, () => reject(abortReason(signal)))
      timers.push(
        setTimeout(() => resolve(undefined), limitMs),
        setInterval(send, AGAIN_MS),
      )
      // A closed port of this machine says so.
      socket.on('error', () => resolve(undefined))
      socket.on('message', (bytes) => {
        const status = ping.read(bytes)
        if (status) resolve(status)
      })
      socket.connect(port, address, send)
    })
  } finally {
    unsubscribe()
    for (const timer of timers) clearTimeout(timer)
    socket.close()
  }
}
