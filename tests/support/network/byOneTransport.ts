import { untilAborted } from '@lantern-room/base/async'
import type { Transports } from '@lantern-room/easytier/transport'

/** Members reach each other by UDP and nothing else. @param node the shared node, which may be dialled by TCP, too */
export function byUdpAlone(transports: Transports, node: string): Transports {
  return {
    ...transports,
    lan: {
      announce: (_key, _port, signal) => untilAborted(signal),
      discover: (_key, _tell, signal) => untilAborted(signal),
    },
    dialTcp: (to, signal) => {
      if (!node.endsWith(`:${to.port}`)) throw new Error('by udp alone')
      return transports.dialTcp(to, signal)
    },
  }
}

/** Members reach each other by TCP and nothing else: their sockets of UDP are mute. */
export function byTcpAlone(transports: Transports): Transports {
  return {
    ...transports,
    openUdp: async (port) => ({ ...(await transports.openUdp(port)), send: () => undefined }),
  }
}
