import { plainText } from './plainText'
import type { GameStatus, ServerPing } from './ports'

/** UTF-16 units. Games of that time send 256 at most. */
const MAX_LENGTH = 1024
const HEADER = 3

/**
 * The server-list ping before version 1.7, which newer games answer, too: `FE 01`, answered by `FF`, the number of
 * UTF-16 units and the text in big-endian UTF-16.
 * @see https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping
 * @example socket.write(legacyPing.request({ address: '127.0.0.1', port: 25565 }))
 */
export const legacyPing: ServerPing = {
  request: () => Uint8Array.of(0xfe, 0x01),
  read: readLegacyResponse,
}

/**
 * Since 1.4 the text is `§1`, protocol, version, motd, players and maximum with a NUL between them; before, it is
 * `motd§players§maximum`.
 */
export function readLegacyResponse(received: Uint8Array): GameStatus | 'partial' | 'invalid' {
  const [kind, high, low] = received
  if (kind === undefined) return 'partial'
  if (kind !== 0xff) return 'invalid'
  if (high === undefined || low === undefined) return 'partial'
  const length = high * 256 + low
  if (length === 0 || length > MAX_LENGTH) return 'invalid'
  if (received.length < HEADER + 2 * length) return 'partial'
  const text = received.subarray(HEADER, HEADER + 2 * length)
  return statusOf(new TextDecoder('utf-16be').decode(text)) ?? 'invalid'
}

function statusOf(text: string): GameStatus | undefined {
  const [, , version, motd, online, max]: (string | undefined)[] = text.startsWith('§1\0')
    ? text.split('\0')
    : ['', '', undefined, ...(/^(.*)§(\d+)§(\d+)$/s.exec(text) ?? []).slice(1)]
  if (motd === undefined) return undefined
  return {
    by: 'legacy',
    motd: plainText(motd, 256),
    version: version && plainText(version, 64),
    onlinePlayers: countOf(online),
    maxPlayers: countOf(max),
  }
}

export function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}
