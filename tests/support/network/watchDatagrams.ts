import type { Transports } from '@lantern-room/easytier/transport'
import type { Endpoint } from '@lantern-room/easytier/wire'

/** Transports that tell of each datagram before it is sent. */
export function watchDatagrams(
  transports: Transports,
  onSend: (to: Endpoint, bytes: Uint8Array) => void,
): Transports {
  return {
    ...transports,
    async openUdp(port, families) {
      const socket = await transports.openUdp(port, families)
      return {
        ...socket,
        send(datagram, to) {
          onSend(to, datagram)
          socket.send(datagram, to)
        },
      }
    },
  }
}
