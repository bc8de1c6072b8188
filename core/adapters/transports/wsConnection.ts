import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { onAbort } from '@lantern-room/base/async'
import { OUTGOING_HEADERS } from '@lantern-room/base/network'
import type { Connection } from '@lantern-room/easytier/transport'
import {
  formatEndpoint,
  MAX_PACKET_SIZE,
  type NodeUrl,
  PACKET_HEADER_SIZE,
} from '@lantern-room/easytier/wire'
import { type RawData, WebSocket } from 'ws'
import { noteOwnConnection } from '../network/ownConnections'
import { describeSocketError } from './describeSocketError'
import { CLOSING_MS, createPacketInbox, plainAddress } from './packetInbox'
import { createSendQueue, isPing } from './sendQueue'

const HANDSHAKE_MS = 5000

/**
 * Redirects are not followed.
 * @param address of the URL's host, which is connected to: it was checked
 * @throws Error in a few words when refused or not answered in 5 s, or the signal's reason
 */
export function dialWs(url: NodeUrl, address: string, signal: AbortSignal): Promise<Connection> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const { scheme, host, port, path } = url
    const ws = new WebSocket(`${scheme}://${formatEndpoint({ address: host, port })}${path}`, {
      handshakeTimeout: HANDSHAKE_MS,
      perMessageDeflate: false,
      maxPayload: MAX_PACKET_SIZE,
      headers: OUTGOING_HEADERS,
      createConnection: () => connectAt(url, address),
    })
    let socket: Socket | undefined
    const giveUp = (error: unknown) => {
      unsubscribe()
      reject(error)
      ws.terminate()
    }
    const unsubscribe = onAbort(signal, () => giveUp(signal.reason))
    // Stays on: `close` follows every error of an open connection.
    ws.on('error', (error) => giveUp(describeWsError(error)))
    ws.on('unexpected-response', (_request, response) => {
      giveUp(new Error(`it answers with status ${response.statusCode}, not as a WebSocket`))
    })
    ws.once('upgrade', (response) => {
      socket = response.socket
    })
    ws.once('open', () => {
      unsubscribe()
      if (socket) resolve(wsConnection(ws, socket))
    })
  })
}

/** The certificate is not verified, as in every node of this network: packets are encrypted, and the names of nodes public. */
function connectAt({ scheme, host, port }: NodeUrl, address: string): Socket {
  const to = { host: address, port, timeout: HANDSHAKE_MS }
  const servername = isIP(host) > 0 ? '' : host
  const socket = scheme === 'ws' ? connect(to) : connectTls({ ...to, servername, rejectUnauthorized: false })
  noteOwnConnection(socket)
  return socket
}

/** In our own words: the text is shown to players, and that of the package is about its internals. */
function describeWsError(error: Error): Error {
  // The package reports it by a message only.
  if (error.message === 'Opening handshake has timed out') {
    return new Error(`no answer in ${HANDSHAKE_MS / 1000} s`)
  }
  const described = describeSocketError(error)
  return described === error ? new Error('it does not answer as a WebSocket', { cause: error }) : described
}

/** One binary message is one packet; any other message closes the connection. */
export function wsConnection(ws: WebSocket, socket: Socket): Connection {
  const inbox = createPacketInbox(ws)
  const queue = createSendQueue(socket, (packet) => ws.send(packet, { binary: true }))
  let isOpen = true
  let timer: NodeJS.Timeout | undefined
  const closed = new Promise<void>((resolve) => {
    ws.once('close', () => {
      isOpen = false
      clearTimeout(timer)
      resolve()
    })
  })
  ws.on('message', (message: RawData, isBinary) => {
    if (isBinary && message instanceof Uint8Array && message.length >= PACKET_HEADER_SIZE) inbox.take(message)
    else ws.terminate()
  })

  return {
    transport: 'ws',
    closed,
    onPacket: inbox.listen,
    localPort: socket.localPort ?? 0,
    remote: { address: plainAddress(socket.remoteAddress), port: socket.remotePort ?? 0 },
    send(packet) {
      if (!isOpen || packet.length > MAX_PACKET_SIZE) return
      if (!queue.isFull() || isPing(packet)) queue.add(packet, isPing(packet))
    },
    close() {
      if (!isOpen) return
      queue.flush()
      isOpen = false
      inbox.close()
      timer = setTimeout(() => ws.terminate(), CLOSING_MS).unref()
      ws.close()
    },
  }
}
