import type { Socket } from 'node:net'
import { packetTypes } from '@lantern-room/easytier/wire'

/** With more bytes queued on a connection, further packets are dropped, as a network does. */
const MAX_QUEUED = 2 * 1024 * 1024
/** The same for packets, however short: taking the first one of a longer array moves all others. */
const MAX_WAITING = 8000
/** Pings and their answers that wait; a neighbour that reads sends one every second or so. */
const MAX_URGENT = 64

/**
 * What waits until the system takes more. It is given little at once, so that pings and their answers go before the rest: nodes
 * drop a connection that does not answer within two seconds, however much else is on it. What is added in one turn of the event
 * loop leaves in one write.
 * @param put hands the bytes to the socket; they must not change afterwards
 */
export function createSendQueue(socket: Socket, put: (bytes: Uint8Array) => void) {
  const urgent: Uint8Array[] = []
  const rest: Uint8Array[] = []
  const write = inOneWrite(socket, put)
  let size = 0
  /** Whether the system has enough for now: what is added waits. */
  const isBusy = () => socket.writableNeedDrain || size > 0
  socket.on('drain', fill)

  return {
    /** Whether bulk data is to be dropped. */
    isFull: () => rest.length >= MAX_WAITING || size + socket.writableLength > MAX_QUEUED,
    add(bytes: Uint8Array, isUrgent = false): void {
      if (!isBusy()) write(bytes)
      else if (!isUrgent || urgent.length < MAX_URGENT) {
        size += bytes.length
        const queue = isUrgent ? urgent : rest
        queue.push(bytes)
      }
    },
    /** Hands everything over, before the socket is closed. */
    flush(): void {
      for (const bytes of [...urgent.splice(0), ...rest.splice(0)]) write(bytes)
      size = 0
    },
  }

  function fill(): void {
    while (!socket.writableNeedDrain) {
      const next = urgent.shift() ?? rest.shift()
      if (!next) return
      size -= next.length
      write(next)
    }
  }
}

/** What is put in one turn of the event loop leaves in one write. */
function inOneWrite(socket: Socket, put: (bytes: Uint8Array) => void) {
  let isCorked = false
  return (bytes: Uint8Array): void => {
    if (!isCorked) {
      isCorked = true
      socket.cork()
      process.nextTick(() => {
        isCorked = false
        socket.uncork()
      })
    }
    put(bytes)
  }
}

/** Whether a packet is a ping or the answer to one. */
export function isPing(packet: Uint8Array): boolean {
  return packet[8] === packetTypes.ping || packet[8] === packetTypes.pong
}
