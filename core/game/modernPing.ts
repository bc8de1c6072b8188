import { parseJson } from '@lantern-room/base/bytes'
import { z } from 'zod'
import { plainText } from './plainText'
import type { GameStatus, ServerPing } from './ports'

/** The game limits the text to 32,767 characters, icon included; lists of mods in the same packet are longer. */
const MAX_PACKET = 512 * 1024
const MAX_MOTD = 256
const MAX_VERSION = 64
const STATUS = 1

/**
 * The server-list ping since version 1.7: a handshake that asks for the status, and the status as JSON.
 * @see https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping
 * @example const status = modernPing.read(received.view()) // 'partial' until all of it is there
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

const count = z.int().min(0).max(0x7fffffff).optional().catch(undefined)
const statusFields = z.object({
  version: z.object({ name: z.string() }).optional().catch(undefined),
  players: z.object({ online: count, max: count }).optional().catch(undefined),
  description: z.unknown().optional(),
})

function statusOf(json: Uint8Array): GameStatus | undefined {
  const { data } = statusFields.safeParse(parseJson(json))
  if (!data) return undefined
  const { version, players, description } = data
  return {
    by: 'modern',
    motd: description === undefined ? undefined : plainText(flattenText(description), MAX_MOTD),
    version: version && plainText(version.name, MAX_VERSION),
    onlinePlayers: players?.online,
    maxPlayers: players?.max,
  }
}

/** A component tree may be as wide or deep as a packet is long; further components are ignored. */
const MAX_PARTS = 2000
const MAX_LENGTH = 4096

/**
 * The text of a component: a string, a list of components, or an object with `text` (or the key of a translation) and
 * then the components in `extra`. Uses an explicit stack, so that no depth can overflow the call stack.
 */
export function flattenText(component: unknown): string {
  const waiting: unknown[] = [component]
  let text = ''
  for (let parts = 0; waiting.length > 0 && parts < MAX_PARTS && text.length < MAX_LENGTH; parts++) {
    const part = waiting.pop()
    text += ownText(part)
    pushAll(waiting, childrenOf(part))
  }
  return text
}

/** In reverse: the stack returns them in order. */
function pushAll(stack: unknown[], parts: readonly unknown[]): void {
  for (let i = Math.min(parts.length, MAX_PARTS) - 1; i >= 0; i--) stack.push(parts[i])
}

function childrenOf(component: unknown): readonly unknown[] {
  if (Array.isArray(component)) return component
  const hasExtra = typeof component === 'object' && component !== null && 'extra' in component
  return hasExtra && Array.isArray(component.extra) ? component.extra : []
}

function ownText(component: unknown): string {
  if (typeof component !== 'object' || component === null) return scalar(component)
  if ('text' in component) return scalar(component.text)
  if ('fallback' in component) return scalar(component.fallback)
  return 'translate' in component ? scalar(component.translate) : ''
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** The game's variable-length integers: seven bits per byte, lowest first; the top bit says that more follow. */

/** @param value an integer of 32 bits, signed or not; a negative one takes five bytes */
export function encodeVarint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = value >>> 0
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

/**
 * Reads one as a signed 32-bit integer.
 * @returns the value and where it ends; `partial` when it continues after the bytes; `invalid` beyond five bytes or
 * 32 bits
 */
export function decodeVarint(
  bytes: Uint8Array,
  at: number,
): { readonly value: number; readonly end: number } | 'partial' | 'invalid' {
  let value = 0
  for (let index = 0; index < 5; index++) {
    const byte = bytes[at + index]
    if (byte === undefined) return 'partial'
    if (index === 4 && byte > 0x0f) return 'invalid'
    value |= (byte & 0x7f) << (7 * index)
    if (byte < 0x80) return { value, end: at + index + 1 }
  }
  return 'invalid'
}
