/** What the adapters that look for games are given by core: the codecs, as values. */

import type { GameStatus } from '../ports'

/** What a LAN announcement says. The address is not in it: an announcement is believed for its port alone. */
export type AnnouncedWorld = { readonly motd: string; readonly port: number }

export type EncodeAnnouncement = (world: AnnouncedWorld) => Uint8Array

/** @returns undefined for anything that is no announcement; never throws */
export type DecodeAnnouncement = (datagram: Uint8Array) => AnnouncedWorld | undefined

/** One way to ask a game server for its status over TCP. */
export type ServerPing = {
  /** What to send as soon as the connection stands. */
  request(at: { readonly address: string; readonly port: number }): Uint8Array
  /**
   * Reads everything that came back so far; never throws.
   * @returns `partial` when more bytes are needed, `invalid` when no more of them can help
   */
  read(received: Uint8Array): GameStatus | 'partial' | 'invalid'
}
