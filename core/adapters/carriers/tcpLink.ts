import type { Socket } from 'node:net'
import type { PacketLink } from '../../room/overlay/carriers'
import { createFrameReader, encodeTcpFrames } from '../../room/overlay/wire/framing'
import { CLOSING_MS, createInbox, MAX_WAITING, plainAddress } from './link'

/** Written at once when so much has gathered, so that a burst does not wait for its own end. */
const BATCH_SIZE = 64 * 1024

/**
 * A connected socket as a link. What is sent in one turn of the loop leaves in one write; what comes is handed on as views
 * of what the system gave. A frame of a forbidden length closes the connection.
 */
export function linkOfSocket(socket: Socket): PacketLink {
  const reader = createFrameReader()
  const inbox = createInbox(socket)
  const batch: Uint8Array[] = []
  let batchSize = 0
  let isOpen = true
  let timer: NodeJS.Timeout | undefined
  const remote = { address: plainAddress(socket.remoteAddress), port: socket.remotePort ?? 0 }
  const localPort = socket.localPort ?? 0
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      isOpen = false
      clearTimeout(timer)
      batch.length = 0
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
    if (batch.length === 0) return
    const frames = encodeTcpFrames(batch)
    batch.length = 0
    batchSize = 0
    if (socket.writable) socket.write(frames)
  }

  return {
    ...{ carrier: 'tcp', remote, localPort, closed, onPacket: inbox.listen },
    send(packet) {
      if (!isOpen || socket.writableLength + batchSize > MAX_WAITING) return
      if (batch.push(packet) === 1) setImmediate(flush)
      batchSize += packet.length
      if (batchSize >= BATCH_SIZE) flush()
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
