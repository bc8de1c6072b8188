import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import type { Clock } from '@lantern-room/base/async'
import { repeat } from '@lantern-room/base/async'
import multicastDns, { type MulticastDNS, type QueryPacket, type ResponsePacket } from 'multicast-dns'
import {
  type MulticastInterface,
  multicastInterfaces,
  neighbours,
  onePerInterface,
  type ReportProblem,
} from '../../network/multicastInterfaces'
import { type NetworkInterfaces, RESCAN_MS } from '../../network/networkInterfaces'
import { mentionsService } from './lanRecords'

/** Multicast DNS on one interface, with the interface's address. */
export type LanSocket = { readonly address: string; readonly mdns: MulticastDNS }

export type LanPacket = QueryPacket | ResponsePacket

const PROBLEM = 'rooms on the LAN cannot be discovered'

export type LanSocketOptions = {
  /** Addresses or names; undefined = all. */
  readonly interfaces: readonly string[] | undefined
  readonly clock: Clock
  readonly scan: () => NetworkInterfaces
  readonly report: ReportProblem
  /** When it aborts, the interfaces are no longer followed; `close` is for the sockets. */
  readonly signal: AbortSignal
  readonly onReady: (socket: LanSocket) => void
  /** Called once for each packet and socket that receives it, which may be several. */
  readonly onPacket: (packet: LanPacket, from: { readonly address: string }, socket: LanSocket) => void
}

/** A socket for each IPv4 interface: a single one would send on the interface of the default route only. */
export function openLanSockets(options: LanSocketOptions) {
  const { interfaces, clock, scan, report } = options
  const sockets = onePerInterface(open, ({ mdns }) => new Promise((resolve) => mdns.destroy(() => resolve())))
  let isNear = (_address: string) => true
  repeat(clock, RESCAN_MS, options.signal, () => {
    const chosen = multicastInterfaces(scan(), interfaces, process.platform)
    if (interfaces !== undefined) isNear = neighbours(chosen)
    sockets.update(chosen.filter(({ family }) => family === 'ipv4'))
  })

  return {
    ready: (): readonly LanSocket[] => sockets.all().filter(({ isReady }) => isReady),
    close: sockets.close,
  }

  function open({ multicast: address }: MulticastInterface): LanSocket & { isReady: boolean } {
    const udp = createSocket({ type: 'udp4', reuseAddr: true })
    const mdns = multicastDns({ socket: udp, interface: address, bind: '0.0.0.0', loopback: true })
    filterMessages(udp, (datagram, from) => mentionsService(datagram) && isNear(from.address))
    const socket = { address, mdns, isReady: false }
    mdns.on('warning', (error) => {
      // Only system errors: packets that cannot be decoded are the sender's problem.
      if ('syscall' in error) report(PROBLEM, 'ipv4', address, error)
    })
    mdns.on('error', (error) => {
      report(PROBLEM, 'ipv4', address, error)
      // The next rescan opens another one.
      if (sockets.all().includes(socket)) sockets.drop(socket)
    })
    mdns.on('ready', () => {
      if (!sockets.all().includes(socket)) return
      socket.isReady = true
      options.onReady(socket)
    })
    const receive = (packet: LanPacket, from: { readonly address: string }) =>
      socket.isReady && options.onPacket(packet, from, socket)
    mdns.on('query', receive).on('response', receive)
    return socket
  }
}

/** Passes only some datagrams on to the listeners that the socket has now. */
function filterMessages(socket: Socket, passes: (datagram: Buffer, from: RemoteInfo) => boolean): void {
  const listeners = socket.listeners('message')
  socket.removeAllListeners('message')
  socket.on('message', (datagram, from) => {
    if (passes(datagram, from)) for (const listener of listeners) listener(datagram, from)
  })
}
