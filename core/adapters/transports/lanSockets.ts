import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import multicastDns, { type MulticastDNS, type QueryPacket, type ResponsePacket } from 'multicast-dns'
import type { Clock } from '#core/clock'
import { RESCAN_MS } from '../lan/groups'
import { chooseInterfaces, type NetworkInterfaces, neighbours } from '../lan/interfaces'
import type { ReportProblem } from '../lan/reportOnce'
import { mayConcernUs } from './lanRecords'

/** Multicast DNS on one interface. `address` is the interface's own. */
export type LanSocket = { readonly address: string; readonly mdns: MulticastDNS }

export type LanPacket = QueryPacket | ResponsePacket

export type LanSocketsOptions = {
  /** Addresses or names; undefined = all. */
  readonly interfaces: readonly string[] | undefined
  readonly clock: Clock
  readonly scan: () => NetworkInterfaces
  readonly report: ReportProblem
  readonly onReady: (socket: LanSocket) => void
  /** Called once for each packet and receiving interface, which may be several. */
  readonly onPacket: (packet: LanPacket, from: { readonly address: string }, socket: LanSocket) => void
}

export type LanSockets = {
  ready(): readonly LanSocket[]
  close(): Promise<void>
}

/** A socket for each IPv4 interface: one alone would send on the interface of the default route only. */
export function openLanSockets({ interfaces, clock, scan, report, ...tell }: LanSocketsOptions): LanSockets {
  const sockets = new Map<string, LanSocket & { isReady: boolean }>()
  const closing = new Set<Promise<void>>()
  let isNear = (_address: string) => true
  let cancel = () => {}
  follow()

  return {
    ready: () => [...sockets.values()].filter(({ isReady }) => isReady),
    async close() {
      cancel()
      for (const address of [...sockets.keys()]) drop(address)
      await Promise.all(closing)
    },
  }

  /** Opens sockets for new interfaces and closes those of lost ones, periodically. */
  function follow(): void {
    const chosen = chooseInterfaces(scan(), interfaces, process.platform)
    const addresses = chosen.filter(({ family }) => family === 'ipv4').map(({ multicast }) => multicast)
    if (interfaces !== undefined) isNear = neighbours(chosen)
    for (const address of [...sockets.keys()]) if (!addresses.includes(address)) drop(address)
    for (const address of addresses) if (!sockets.has(address)) open(address)
    cancel = clock.after(RESCAN_MS, follow)
  }

  function open(address: string): void {
    const udp = createSocket({ type: 'udp4', reuseAddr: true })
    const mdns = multicastDns({ socket: udp, interface: address, bind: '0.0.0.0', loopback: true })
    sift(udp, (datagram, from) => mayConcernUs(datagram) && isNear(from.address))
    const socket = { address, mdns, isReady: false }
    sockets.set(address, socket)
    mdns.on('warning', (error) => {
      // A packet that cannot be decoded is ignored.
      if ('syscall' in error) report('rooms on the LAN cannot be looked for', 'ipv4', address, error)
    })
    mdns.on('error', (error) => {
      report('rooms on the LAN cannot be looked for', 'ipv4', address, error)
      // Retried at the next scan.
      if (sockets.get(address) === socket) drop(address)
    })
    mdns.on('ready', () => {
      if (sockets.get(address) !== socket) return
      socket.isReady = true
      tell.onReady(socket)
    })
    const take = (packet: LanPacket, from: { readonly address: string }) => {
      if (socket.isReady) tell.onPacket(packet, from, socket)
    }
    mdns.on('query', take)
    mdns.on('response', take)
  }

  function drop(address: string): void {
    const socket = sockets.get(address)
    if (!socket) return
    sockets.delete(address)
    const closed = new Promise<void>((resolve) => socket.mdns.destroy(resolve)).then(
      () => void closing.delete(closed),
    )
    closing.add(closed)
  }
}

/** Passes only wanted datagrams to the package. */
function sift(socket: Socket, passes: (datagram: Buffer, from: RemoteInfo) => boolean): void {
  const listeners = socket.listeners('message')
  socket.removeAllListeners('message')
  socket.on('message', (datagram, from) => {
    if (passes(datagram, from)) for (const listener of listeners) listener(datagram, from)
  })
}
