import { createDeferred, untilAborted } from '@lantern-room/base/async'
import type { Connection, Transports, UdpSocket } from '@lantern-room/easytier/transport'
import type { Endpoint } from '@lantern-room/easytier/wire'

export type FarEnd = ReturnType<typeof createFarEnd>

/** The other end of a link, played by a test. @param onSent what our side sends */
export function createFarEnd(onSent: (packet: Uint8Array) => void, address = '192.0.2.9') {
  const { closed, close, isClosed } = closing()
  let listener: (packet: Uint8Array) => void = () => {}
  const link: Connection = {
    transport: 'tcp',
    remote: { address, port: 11_010 },
    localPort: 40_000,
    closed,
    close,
    send: (packet) => void (isClosed() || onSent(packet.slice())),
    onPacket(next) {
      listener = next
    },
  }
  return {
    link,
    /** Hands a packet to our side. */
    hand: (packet: Uint8Array) => !isClosed() && listener(packet.slice()),
    end: close,
    get isClosed() {
      return isClosed()
    },
  }
}

/** A UDP socket of our side, as a test sees it. */
export type FarSocket = {
  readonly port: number
  hand(datagram: Uint8Array, from: Endpoint): void
}

export type ReplayNet = ReturnType<typeof createReplayNet>

/** A machine's network on which only what the test plays happens. */
export function createReplayNet(play: {
  readonly dial?: () => Connection
  readonly onDatagram?: (bytes: Uint8Array, to: Endpoint, socket: FarSocket) => void
}) {
  const sockets: FarSocket[] = []
  let take: (link: Connection) => void = () => {}
  return {
    /** Every UDP socket that was opened, oldest first. */
    sockets,
    /** Gives our listener a link. */
    call: (link: Connection) => take(link),
    transports: {
      resolve: async (host) => [host],
      dialTcp: async () => play.dial?.() ?? nothing(),
      dialWs: async () => nothing(),
      async listenTcp(_port, onLink, signal) {
        take = onLink
        return { port: 40_001, closed: untilAborted(signal) }
      },
      async openUdp() {
        const { far, socket } = createSocket(50_000 + sockets.length, play.onDatagram)
        sockets.push(far)
        return socket
      },
      fetchText: async () => nothing(),
      interfaceAddresses: () => ['127.0.0.1'],
      machine: { isOwnAddress: () => false, isOwnName: () => false, isOnOwnSubnet: () => true },
      onNetworkChange: () => () => {},
      lan: {
        announce: (_key, _port, signal) => untilAborted(signal),
        discover: (_key, _onFound, signal) => untilAborted(signal),
      },
      stunTcp: async () => nothing(),
    } satisfies Transports,
  }
}

function createSocket(port: number, onDatagram: Parameters<typeof createReplayNet>[0]['onDatagram']) {
  const { socket, deliver } = createFakeUdpSocket(port, (bytes, to) => onDatagram?.(bytes, to, far))
  const far: FarSocket = { port, hand: deliver }
  return { far, socket }
}

/** A UDP socket whose network is the test: it learns what is sent, and delivers what is to arrive. */
export function createFakeUdpSocket(port: number, onSent: UdpSocket['send'] = () => {}) {
  const { closed, close, isClosed } = closing()
  let listener: Parameters<UdpSocket['onDatagram']>[0] = () => {}
  const socket: UdpSocket = {
    port,
    closed,
    close,
    send: (bytes, to) => void (isClosed() || onSent(bytes.slice(), to)),
    onDatagram(next) {
      listener = next
    },
  }
  return {
    socket,
    deliver: (bytes: Uint8Array, from: Endpoint) => void (isClosed() || listener(bytes.slice(), from)),
  }
}

function closing() {
  let isOver = false
  const { promise: closed, resolve: tell } = createDeferred()
  const close = () => {
    isOver = true
    tell()
  }
  return { closed, close, isClosed: () => isOver }
}

function nothing(): never {
  throw new Error('nothing answers')
}
