import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import { raceSignal } from '@lantern-room/base/async'
import type { Connection } from '@lantern-room/easytier/transport'
import type { Endpoint } from '@lantern-room/easytier/wire'
import {
  createPacketReader,
  decodeStunStream,
  encodeStunRequest,
  frameSize,
  MAX_PACKET_SIZE,
  writeTcpFrame,
} from '@lantern-room/easytier/wire'
import { connectTcp } from '../network/connectTcp'
import { describeSocketError } from './describeSocketError'
import { CLOSING_MS, createPacketInbox, plainAddress } from './packetInbox'
import { createSendQueue, isPing } from './sendQueue'

/** @throws Error in a few words when refused, or the signal's reason */
export async function dialTcp(
  to: Endpoint,
  signal: AbortSignal,
  from?: { readonly localPort: number },
): Promise<Connection> {
  return tcpConnection(await open(to, signal, from?.localPort))
}

async function open(to: Endpoint, signal: AbortSignal, localPort?: number): Promise<Socket> {
  try {
    return await connectTcp(to, { signal, localPort })
  } catch (error) {
    throw signal.aborted ? error : describeSocketError(error)
  }
}

/**
 * Asks a STUN server over TCP for the public address of a local port. The connection is reset, so that the port can be bound again at
 * once.
 * @throws Error in a few words, or the signal's reason
 */
export async function stunTcp(server: Endpoint, localPort: number, signal: AbortSignal): Promise<Endpoint> {
  const socket = await open(server, signal, localPort)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  try {
    return await raceSignal(query(socket), signal)
  } finally {
    // A connection that the server has closed first leaves nothing behind, and cannot be reset any more.
    if (socket.readableEnded) socket.destroy()
    else socket.resetAndDestroy()
    await closed
  }
}

function query(socket: Socket): Promise<Endpoint> {
  const transactionId = randomBytes(12)
  let bytes = Buffer.alloc(0)
  return new Promise<Endpoint>((resolve, reject) => {
    const fail = () => reject(new Error('no answer that can be read'))
    socket.on('error', fail).once('end', fail)
    socket.on('data', (chunk: Uint8Array) => {
      bytes = Buffer.concat([bytes, chunk])
      const decoded = decodeStunStream(bytes)
      if (decoded === undefined) return
      const { message } = decoded
      const isOurs = message?.kind === 'response' && transactionId.equals(message.transactionId)
      if (isOurs && message.mapped) resolve(message.mapped)
      else fail()
    })
    socket.write(encodeStunRequest(transactionId))
  })
}

/**
 * A connected socket as a connection of the network. Packets sent in one turn of the event loop leave in one write; received ones
 * are views of what the system delivered. A frame of a forbidden length closes the connection.
 */
export function tcpConnection(socket: Socket): Connection {
  const reader = createPacketReader()
  const inbox = createPacketInbox(socket)
  const queue = createSendQueue(socket, (frame) => socket.writable && socket.write(frame))
  let isOpen = true
  let timer: NodeJS.Timeout | undefined
  const remote = { address: plainAddress(socket.remoteAddress), port: socket.remotePort ?? 0 }
  const localPort = socket.localPort ?? 0
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isOpen = false
      clearTimeout(timer)
      resolve()
    })
  })
  // `close` follows every error.
  socket.on('error', () => {})
  socket.on('data', (chunk: Uint8Array) => {
    if (isOpen && !reader.push(chunk, inbox.take)) socket.destroy()
  })
  // The other side has closed: writing has no purpose any more.
  socket.once('end', () => socket.destroy())

  return {
    transport: 'tcp',
    remote,
    localPort,
    closed,
    onPacket: inbox.listen,
    send(packet) {
      // A packet that came over UDP may be longer than the other side accepts.
      if (!isOpen || packet.length > MAX_PACKET_SIZE) return
      const isUrgent = isPing(packet)
      if (queue.isFull() && !isUrgent) return
      const frame = Buffer.allocUnsafe(frameSize(packet))
      writeTcpFrame(packet, frame, 0)
      queue.add(frame, isUrgent)
    },
    close() {
      if (!isOpen) return
      queue.flush()
      isOpen = false
      inbox.close()
      // What was sent before is still delivered if the other side reads. Until it closes, too, what it sends is read and dropped: on
      // a socket that is closed with bytes unread the system sends a reset, by which the other side loses what it has not read.
      socket.end()
      socket.resume()
      timer = setTimeout(() => socket.destroy(), CLOSING_MS).unref()
    },
  }
}
