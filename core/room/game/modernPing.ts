import { parseJson } from '#core/bytes'
import { plainText } from '../cleanText'
import type { GameStatus } from '../ports'
import type { ServerPing } from './ports'
import { flattenText } from './textComponent'
import { decodeVarint, encodeVarint } from './varint'

/** The game limits the text to 32,767 characters, icon included; lists of mods in the same packet are longer. */
const MAX_PACKET = 512 * 1024
const MAX_MOTD = 256
const MAX_VERSION = 64
const STATUS = 1

/**
 * The server-list ping since version 1.7: a handshake that asks for the status, and the status as JSON.
 * @see https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping
 */
export const modernPing: ServerPing = { request: encodeStatusRequest, read: readStatusResponse }

/** Handshake and status request in one. The protocol version is -1, by convention that of a client that only pings. */
export function encodeStatusRequest(at: { readonly address: string; readonly port: number }): Uint8Array {
  // Without the scope of a link-local address, which has no meaning on the other side.
  const address = new TextEncoder().encode(at.address.replace(/%.*$/, '').slice(0, 255))
  const handshake = [
    0x00,
    ...encodeVarint(-1),
    ...encodeVarint(address.length),
    ...address,
    at.port >>> 8,
    at.port & 0xff,
    STATUS,
  ]
  return Uint8Array.from([...encodeVarint(handshake.length), ...handshake, 0x01, 0x00])
}

/** Reads the status packet: length, id 0, and a text with its length, which must be a JSON object. */
export function readStatusResponse(received: Uint8Array): GameStatus | 'partial' | 'invalid' {
  const length = decodeVarint(received, 0)
  if (typeof length === 'string') return length
  if (length.value < 4 || length.value > MAX_PACKET) return 'invalid'
  const end = length.end + length.value
  const id = decodeVarint(received, length.end)
  if (typeof id === 'string') return id
  if (id.value !== 0) return 'invalid'
  const size = decodeVarint(received, id.end)
  if (typeof size === 'string') return size
  if (size.value < 2 || size.end + size.value > end) return 'invalid'
  if (received.length < end) return 'partial'
  return statusOf(received.subarray(size.end, size.end + size.value)) ?? 'invalid'
}

function statusOf(json: Uint8Array): GameStatus | undefined {
  const status = parseJson(json)
  if (!isObject(status)) return undefined
  const version = member(status.version, 'name')
  const players = status.players
  const description = status.description
  return {
    by: 'modern',
    motd: description === undefined ? undefined : plainText(flattenText(description), MAX_MOTD),
    version: typeof version === 'string' ? plainText(version, MAX_VERSION) : undefined,
    onlinePlayers: count(member(players, 'online')),
    maxPlayers: count(member(players, 'max')),
  }
}

function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function count(value: unknown): number | undefined {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 0x7fffffff
  return isCount ? value : undefined
}
