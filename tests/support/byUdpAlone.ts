import type { Carriers } from '../../core/room/overlay/carriers'

/** Members reach each other by UDP and nothing else. @param node the shared node, which may be dialled by TCP, too */
export function byUdpAlone(carriers: Carriers, node: string): Carriers {
  const waits = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  return {
    ...carriers,
    lan: {
      announce: (_key, _port, signal) => waits(signal),
      discover: (_key, _tell, signal) => waits(signal),
    },
    dialTcp: (to, signal) => {
      if (!node.endsWith(`:${to.port}`)) throw new Error('by udp alone')
      return carriers.dialTcp(to, signal)
    },
  }
}
