import type { Socket } from 'node:net'
import { packetTypes } from '#core/easytier/wire/packet'

/** With more bytes queued on a connection, further packets are dropped, as a network does. */
const MAX_QUEUED = 2 * 1024 * 1024
/** Pings and their answers that wait; a neighbour that reads sends one every second or so. */
const MAX_URGENT = 64

/**
 * What waits until the system takes more. It is given little at once, so that pings and their answers go before the rest: nodes
 * drop a connection that does not answer within two seconds, however much else is on it.
 */
export class SendQueue {
  readonly #socket: Socket
  readonly #write: (bytes: Uint8Array) => void
  readonly #urgent: Uint8Array[] = []
  readonly #rest: Uint8Array[] = []
  #size = 0

  /** @param write hands the bytes to the socket; they must not change afterwards */
  constructor(socket: Socket, write: (bytes: Uint8Array) => void) {
    this.#socket = socket
    this.#write = write
    socket.on('drain', () => this.#fill())
  }

  /** Whether bulk data is to be dropped. */
  get isFull(): boolean {
    return this.#size + this.#socket.writableLength > MAX_QUEUED
  }

  /** Whether the system has enough for now: what is added waits. */
  get isBusy(): boolean {
    return this.#socket.writableNeedDrain || this.#size > 0
  }

  add(bytes: Uint8Array, isUrgent = false): void {
    if (!this.isBusy) this.#write(bytes)
    else if (!isUrgent || this.#urgent.length < MAX_URGENT) {
      this.#size += bytes.length
      const queue = isUrgent ? this.#urgent : this.#rest
      queue.push(bytes)
    }
  }

  /** Hands everything over, before the socket is closed. */
  flush(): void {
    for (const bytes of [...this.#urgent.splice(0), ...this.#rest.splice(0)]) this.#write(bytes)
    this.#size = 0
  }

  #fill(): void {
    while (!this.#socket.writableNeedDrain) {
      const next = this.#urgent.shift() ?? this.#rest.shift()
      if (!next) return
      this.#size -= next.length
      this.#write(next)
    }
  }
}

/** Whether a packet is a ping or the answer to one. */
export function isPing(packet: Uint8Array): boolean {
  return packet[8] === packetTypes.ping || packet[8] === packetTypes.pong
}
