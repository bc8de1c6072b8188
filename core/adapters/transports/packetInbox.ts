import { withoutZone } from '../network/networkInterfaces'

/** The inbox that connections over TCP and WebSocket share. */

/** After our close, how long the other side may take to accept what was sent before. */
export const CLOSING_MS = 500

/** Packets held until there is a listener; then the connection is paused. */
const MAX_EARLY = 64

export function createPacketInbox(source: { pause(): unknown; resume(): unknown }) {
  const early: Uint8Array[] = []
  let listener: ((packet: Uint8Array) => void) | undefined
  let isOpen = true
  return {
    take(packet: Uint8Array) {
      if (!isOpen) return
      if (listener) return listener(packet)
      early.push(packet)
      if (early.length === MAX_EARLY) source.pause()
    },
    listen(next: (packet: Uint8Array) => void): void {
      listener = next
      const isFull = early.length >= MAX_EARLY
      for (const packet of early.splice(0)) if (isOpen) next(packet)
      if (isFull) source.resume()
    },
    /** Drops all packets from now on. */
    close(): void {
      isOpen = false
      early.length = 0
    },
  }
}

/** `1.2.3.4` for `::ffff:1.2.3.4`, as a socket of both families reports it, and `fe80::1` for `fe80::1%eth0`. */
export function plainAddress(address: string | undefined): string {
  return withoutZone((address ?? '').replace(/^::ffff:(?=\d+\.)/i, ''))
}
