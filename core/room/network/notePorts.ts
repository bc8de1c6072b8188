import type { Transports } from '#core/easytier/transport/transports'
import type { OwnPorts } from '#core/ownPorts'

/** The same transports, which note the ports on which members are listened for. */
export function notePorts(transports: Transports, ownPorts: OwnPorts): Transports {
  return {
    ...transports,
    async listenTcp(port, onConnection, signal) {
      const listening = await transports.listenTcp(port, onConnection, signal)
      void listening.closed.then(ownPorts.add('tcp', listening.port, 'network'))
      return listening
    },
    async openUdp(port, families) {
      const socket = await transports.openUdp(port, families)
      void socket.closed.then(ownPorts.add('udp', socket.port, 'network'))
      return socket
    },
  }
}
