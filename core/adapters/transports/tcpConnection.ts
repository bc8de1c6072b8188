import type { Socket } from 'node:net'
import type { Connection } from '#core/easytier/transport/transports'
import { createFrameReader, frameSize, writeTcpFrame } from '#core/easytier/wire/framing'
import { MAX_PACKET_SIZE } from '#core/easytier/wire/packet'
import { CLOSING_MS, createInbox, MAX_WAITING, plainAddress } from './packetInbox'

/** A burst leaves in pieces of this size, so that it does not wait for its own end. */
const BATCH_SIZE = 64 * 1024

/**
 * A connected socket as a link. What is sent in one go leaves in one write; what comes is handed on as views of what the
 * system gave. A frame of a forbidden length closes the connection.
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
  // The end of the connection tells enough.
  socket.on('error', () => {})
  socket.on('data', (chunk: Uint8Array) => {
    if (isOpen && !reader.push(chunk, inbox.take)) socket.destroy()
  })
  // There is nobody left to write to.
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
      // One that came by UDP may be longer than any that the other side would take.
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
      // What was sent before is still delivered, to somebody who reads.
      socket.destroySoon()
      if (!socket.destroyed) timer = setTimeout(() => socket.destroy(), CLOSING_MS).unref()
    },
  }
}

/** Memory for batches that the system has taken: new memory each time would cost more than the copying. */
const spare: Buffer[] = []
const MOST_SPARE = 8

function takeBatch(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(BATCH_SIZE)
}

function giveBack(batch: Buffer): void {
  if (spare.length < MOST_SPARE) spare.push(batch)
}
