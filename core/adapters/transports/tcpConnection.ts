import type { Socket } from 'node:net'
import type { Connection } from '#core/easytier/transport/transports'
import { createFrameReader, frameSize, writeTcpFrame } from '#core/easytier/wire/framing'
import { MAX_PACKET_SIZE } from '#core/easytier/wire/packet'
import { CLOSING_MS, createInbox, MAX_WAITING, plainAddress } from './packetInbox'

/** A burst is written in pieces of this size, so that its beginning does not wait for its end. */
const BATCH_SIZE = 64 * 1024

/**
 * A connected socket as a connection of the network. Packets that are sent in one turn leave in one write; received
 * packets are views of the system's buffer. A frame of a forbidden length closes the connection.
 */
export function linkOfSocket(socket: Socket): Connection {
  const reader = createFrameReader()
  const inbox = createInbox(socket)
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
  // The `close` event that follows says enough.
  socket.on('error', () => {})
  socket.on('data', (chunk: Uint8Array) => {
    if (isOpen && !reader.push(chunk, inbox.take)) socket.destroy()
  })
  // The connection is closed: nothing can be written.
  socket.once('end', () => socket.destroy())

  function flush(): void {
    const written = batch
    if (!written || filled === 0) return
    const frames = written.subarray(0, filled)
    batch = undefined
    filled = 0
    if (socket.writable) socket.write(frames, () => giveBack(written))
  }

  return {
    transport: 'tcp',
    remote,
    localPort,
    closed,
    onPacket: inbox.listen,
    send(packet) {
      const size = frameSize(packet)
      // A packet that came by UDP may be longer than the other side would accept.
      if (packet.length > MAX_PACKET_SIZE) return
      if (!isOpen || socket.writableLength + filled > MAX_WAITING) return
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
      isOpen = false
      inbox.close()
      // Data that was sent before is still delivered, if the other side reads.
      socket.destroySoon()
      if (!socket.destroyed) timer = setTimeout(() => socket.destroy(), CLOSING_MS).unref()
    },
  }
}

/** Buffers of batches that the system has taken, for reuse: allocating each time would cost more than the copying. */
const spare: Buffer[] = []
const MOST_SPARE = 8

function takeBatch(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(BATCH_SIZE)
}

function giveBack(batch: Buffer): void {
  if (spare.length < MOST_SPARE) spare.push(batch)
}
