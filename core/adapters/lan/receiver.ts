import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { systemCode } from '@lantern-room/base'
import type { Family, ReportProblem } from '../network/multicastInterfaces'
import { LAN_GROUPS, LAN_PORT } from './sender'

/**
 * Receives datagrams to the multicast group of one family, on the port that games share.
 * @param onHeld called with true where another program keeps that port for itself, and with false where it does not
 */
export function createReceiver(
  family: Family,
  onDatagram: (bytes: Uint8Array, from: RemoteInfo) => void,
  report: ReportProblem,
  onHeld: (isHeld: boolean) => void = () => {},
) {
  const group = LAN_GROUPS[family]
  let socket: Socket | undefined
  let isBound = false
  let wanted: readonly string[] = []

  function open(): void {
    const opened = createSocket({
      type: family === 'ipv4' ? 'udp4' : 'udp6',
      reuseAddr: true,
      ipv6Only: family === 'ipv6',
    })
    socket = opened
    opened.on('message', onDatagram)
    opened.on('error', (error) => {
      report('announcements of games cannot be received', family, 'all', error)
      if (systemCode(error) === 'EADDRINUSE' || systemCode(error) === 'EACCES') onHeld(true)
      // The next `join` opens another one.
      if (socket === opened) socket = undefined
      isBound = false
      opened.removeAllListeners('message')
      opened.close()
    })
    // Bound to the group's address, the socket gets no unicast datagrams. Windows cannot do that.
    const address = process.platform !== 'win32' ? group : family === 'ipv4' ? '0.0.0.0' : '::'
    opened.bind({ port: LAN_PORT, address }, () => {
      if (socket !== opened) return
      isBound = true
      onHeld(false)
      joinAll(opened)
    })
  }

  function joinAll(bound: Socket): void {
    for (const name of wanted) {
      try {
        bound.addMembership(group, name)
      } catch (error) {
        // It has joined already.
        if (systemCode(error) === 'EADDRINUSE') continue
        report('announcements of games cannot be received on an interface', family, name, error)
      }
    }
  }

  return {
    /** Opens the socket if needed, and joins the group on these interfaces. Repeated calls restore lost memberships. */
    join(interfaces: readonly string[]): void {
      wanted = interfaces
      if (socket === undefined) open()
      else if (isBound) joinAll(socket)
    },
    close(): Promise<void> {
      const closing = socket
      socket = undefined
      if (closing === undefined) return Promise.resolve()
      return new Promise((resolve) => closing.close(() => resolve()))
    },
  }
}
