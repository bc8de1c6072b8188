import type { Socket } from 'node:net'
import type { Connection } from '#core/easytier/transport/transports'
import { createPacketReader, frameSize, writeTcpFrame } from '#core/easytier/wire/framing'
import { MAX_PACKET_SIZE } from '#core/easytier/wire/packet'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import { connectTcp } from '../network/connectTcp'
import { describeSocketError } from './describeSocketError'
import { CLOSING_MS, createPacketInbox, plainAddress } from './packetInbox'
import { createSendQueue, isPing } from './sendQueue'

/** A burst is written in batches of this size, so that its first packets do not wait for its last. */
const BATCH_SIZE = 64 * 1024

/** @throws Error in a few words when refused, or the signal's reason */
export async function dialTcp(
  to: Endpoint,
  signal: AbortSignal,
  from?: { readonly localPort: number },
): Promise<Connection> {
  try {
    return tcpConnection(await connectTcp(to, { signal, localPort: from?.localPort }))
  } catch (error) {
    throw signal.aborted ? error : describeSocketError(error)
  }
}

/**
 * A connected socket as a connection of the network. Packets sent in one turn of the event loop leave in one write; received ones
 * are views of what the system delivered. A frame of a forbidden length closes the connection.
 */
export function tcpConnection(socket: Socket): Connection {
  const reader = createPacketReader()
  const inbox = createPacketInbox(socket)
  const queue = createSendQueue(socket, (frames) => socket.writable && socket.write(frames))
  let batch: Buffer | undefined
  let filled = 0
  let isOpen = true
  let timer: NodeJS.Timeout | undefined
  const remote = { address: plainAddress(socket.remoteAddress), port: socket.remotePort ?? 0 }
  const localPort = socket.localPort ?? 0
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isOpen = false
      clearTimeout(timer)
      filled = 0
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

  function flush(): void {
    const written = batch
    if (!written || filled === 0) return
    const frames = written.subarray(0, filled)
    batch = undefined
    filled = 0
    if (!socket.writable) return
    if (!queue.isBusy() && socket.writableLength === 0) socket.write(frames, () => giveBack(written))
    else {
      // What waits behind others is copied: few packets would keep the memory of a whole batch, thousands of times.
      queue.add(Buffer.from(frames))
      giveBack(written)
    }
  }

  return {
    transport: 'tcp',
    remote,
    localPort,
    closed,
    onPacket: inbox.listen,
    send(packet) {
      const size = frameSize(packet)
      // A packet that came over UDP may be longer than the other side accepts.
      if (packet.length > MAX_PACKET_SIZE) return
      if (!isOpen) return
      if (isPing(packet) && queue.isBusy()) {
        const frame = Buffer.allocUnsafe(size)
        writeTcpFrame(packet, frame, 0)
        return queue.add(frame, true)
      }
      if (queue.isFull()) return
      if (filled + size > BATCH_SIZE) flush()
      if (filled === 0) {
        batch = takeBatch()
        process.nextTick(flush)
      }
      if (!batch) return
      writeTcpFrame(packet, batch, filled)
      filled += size
    },
    close() {
      if (!isOpen) return
      flush()
      queue.flush()
      isOpen = false
      inbox.close()
      // What was sent before is still delivered if the other side reads.
      socket.destroySoon()
      if (!socket.destroyed) timer = setTimeout(() => socket.destroy(), CLOSING_MS).unref()
    },
  }
}

/** Buffers of batches that the system has taken: new memory each time would cost more than the copying. */
const free: Buffer[] = []
const MAX_FREE = 8

function takeBatch(): Buffer {
  return free.pop() ?? Buffer.allocUnsafeSlow(BATCH_SIZE)
}

function giveBack(batch: Buffer): void {
  if (free.length < MAX_FREE) free.push(batch)
}
