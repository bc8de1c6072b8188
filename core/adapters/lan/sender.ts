import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { Family, MulticastInterface, ReportProblem } from '../network/multicastInterfaces'

export type SenderOptions = {
  /** When it is taken, any other one is used. */
  readonly sourcePort: number
  /** Routers that may pass a datagram on; 0 = it does not leave this machine. */
  readonly maxHops: number
}

/** As a game sends: past the routers between the parts of a LAN. */
export const GAME_SENDER: SenderOptions = { sourcePort: 0, maxHops: 4 }

/** Sends to the LAN's group through one interface, and to this machine itself. */
export function createSender(
  { family, multicast }: MulticastInterface,
  { sourcePort, maxHops }: SenderOptions,
  report: ReportProblem,
) {
  const socket = createSocket({
    type: family === 'ipv4' ? 'udp4' : 'udp6',
    reuseAddr: true,
    ipv6Only: family === 'ipv6',
  })
  let isBroken = false
  let isClosed = false
  const problem = (error: unknown) =>
    report('worlds cannot be announced on an interface', family, multicast, error)
  const fail = (error: unknown) => {
    if (isClosed) return
    isBroken = true
    problem(error)
  }
  const ready = open()
  void ready.then(() => socket.on('error', fail), fail)

  return {
    send: (datagram: Uint8Array): void => void ready.then(() => put(datagram)).catch(() => {}),
    /** The socket has failed, and sends nothing any more. */
    get isBroken(): boolean {
      return isBroken
    },
    close(): Promise<void> {
      isClosed = true
      return new Promise((resolve) => socket.close(() => resolve()))
    },
  }

  async function open(): Promise<void> {
    await bind(sourcePort).catch(() => bind(0))
    socket.setMulticastInterface(multicast)
    socket.setMulticastLoopback(true)
    socket.setMulticastTTL(maxHops)
  }

  async function bind(port: number): Promise<void> {
    const listening = once(socket, 'listening')
    socket.bind({ address: family === 'ipv4' ? multicast : '::', port })
    await listening
  }

  function put(datagram: Uint8Array): void {
    if (isClosed || isBroken) return
    socket.send(datagram, LAN_PORT, LAN_GROUPS[family], (error) => {
      if (error) problem(error)
    })
  }
}

/** The multicast groups and the port where games announce their worlds. */
export const LAN_GROUPS: Readonly<Record<Family, string>> = { ipv4: '224.0.2.60', ipv6: 'ff75:230::60' }
export const LAN_PORT = 4445

/**
 * The source port of announcements of forwards. Every listener of this software, another instance on this machine included,
 * recognises by it that they are no game. No system assigns this port to a socket that did not ask for it.
 * @see docs/decisions.md, D61
 */
export const FORWARD_SOURCE_PORT = 24_445
