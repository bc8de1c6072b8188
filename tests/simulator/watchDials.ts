import type { Transports } from '#core/easytier/transport/transports'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import { FORBIDDEN_HOSTS, LOWEST_PORT } from './attacks/dialTargets'

/** Transports that tell when something is sent to where a member must not make it be sent. */
export function watchDials(transports: Transports, onForbidden: (target: string) => void): Transports {
  const look = ({ address, port }: Endpoint) => {
    if (port < LOWEST_PORT || FORBIDDEN_HOSTS.includes(address)) onForbidden(`${address}:${port}`)
  }
  return {
    ...transports,
    dialTcp(to, signal, from) {
      look(to)
      return transports.dialTcp(to, signal, from)
    },
    async openUdp(port, families) {
      const socket = await transports.openUdp(port, families)
      return {
        ...socket,
        send(datagram, to) {
          look(to)
          socket.send(datagram, to)
        },
      }
    },
  }
}
