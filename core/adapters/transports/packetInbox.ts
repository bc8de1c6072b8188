/** Shared by connections over TCP and WebSocket. */

/** Beyond this many bytes that a connection has not accepted yet, further packets are dropped, as a network does. */
export const MAX_WAITING = 2 * 1024 * 1024

/** After our close, how long the other side may take to accept what was sent before. */
export const CLOSING_MS = 500

/** Held until a listener is added; beyond that the connection is not read any further. */
const MAX_EARLY = 64

export type Inbox = {
  take(packet: Uint8Array): void
  listen(listener: (packet: Uint8Array) => void): void
  /** No more packets are passed on. */
  close(): void
}

export function createInbox(source: { pause(): unknown; resume(): unknown }): Inbox {
  const early: Uint8Array[] = []
  let listener: ((packet: Uint8Array) => void) | undefined
  let isOpen = true
  return {
    take(packet) {
      if (!isOpen) return
      if (listener) return listener(packet)
      early.push(packet)
      if (early.length === MAX_EARLY) source.pause()
    },
    listen(next) {
      listener = next
      const isFull = early.length >= MAX_EARLY
      for (const packet of early.splice(0)) if (isOpen) next(packet)
      if (isFull) source.resume()
    },
    close() {
      isOpen = false
      early.length = 0
    },
  }
}

/** `1.2.3.4` for `::ffff:1.2.3.4`, as a dual-stack socket writes it, and `fe80::1` for `fe80::1%eth0`. */
export function plainAddress(address: string | undefined): string {
  return (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}
