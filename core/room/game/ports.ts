import type { GameStatus } from '../ports'

/** A way to ask a game server for its status by one datagram. */
export type DatagramPing = {
  request(): Uint8Array
  /** @returns undefined for anything else; never throws */
  read(datagram: Uint8Array): GameStatus | undefined
}

/** A way to ask a game server for its status over TCP. */
export type ServerPing = {
  /** The bytes to send as soon as the connection is established. */
  request(at: { readonly address: string; readonly port: number }): Uint8Array
  /**
   * Reads all bytes that have arrived so far; never throws.
   * @returns `partial` when more bytes are needed, `invalid` when no further bytes can make it valid
   */
  read(received: Uint8Array): GameStatus | 'partial' | 'invalid'
}
