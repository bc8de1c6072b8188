import type { GameAnnouncement, GameStatus } from './ports'

/** A world on the LAN that was announced in the last 5 s, with the result of the last probe. */
export type Game = GameAnnouncement & { readonly status: GameStatus | undefined }

/**
 * Whether a game answered a ping. A bare TCP connect may be any program.
 * @example games.filter(({ status }) => isVerified(status))
 */
export function isVerified(status: GameStatus | undefined): boolean {
  return status !== undefined && status.by !== 'connect'
}

/**
 * The address and the port as one text; one of IPv6 in brackets.
 * @example endPointOf({ address: 'fe80::1%eth0', port: 25565 }) // '[fe80::1%eth0]:25565'
 */
export function endPointOf({ address, port }: { readonly address: string; readonly port: number }): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
