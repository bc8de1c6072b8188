import { cleanText, plainText } from '../cleanText'
import type { DatagramPing } from './ports'

/** A Bedrock server's description of itself. */
export type RaknetStatus = {
  readonly motd: string
  /** The version of the game. */
  readonly version: string
  readonly onlinePlayers: number | undefined
  readonly maxPlayers: number | undefined
}

/** Offline message id of RakNet: 00ffff00fefefefefdfdfdfd12345678. */
const MAGIC = Uint8Array.of(0, 255, 255, 0, 254, 254, 254, 254, 253, 253, 253, 253, 18, 52, 86, 120)
const PING = 0x01
const PONG = 0x1c
/** Id, time, the server's id. */
const PONG_HEAD = 1 + 8 + 8
const MAX_TEXT = 256

/** RakNet's unconnected ping: id, time (8 bytes), the message id, the client's id (8 bytes). */
export function encodeRaknetPing(): Uint8Array {
  const ping = new Uint8Array(1 + 8 + MAGIC.length + 8)
  ping[0] = PING
  ping.set(MAGIC, 9)
  return ping
}

/**
 * Reads an unconnected pong: id, time, server id, the message id, length (2 bytes), `MCPE;motd;protocol;version;players;most;…`.
 * @returns undefined for anything else; never throws
 */
export function decodeRaknetPong(datagram: Uint8Array): RaknetStatus | undefined {
  const textAt = PONG_HEAD + MAGIC.length + 2
  if (datagram[0] !== PONG || datagram.length < textAt) return undefined
  if (MAGIC.some((byte, at) => datagram[PONG_HEAD + at] !== byte)) return undefined
  const [edition, motd = '', , version = '', online, max] = new TextDecoder()
    .decode(datagram.subarray(textAt))
    .split(/(?<!\\);/)
  if (edition !== 'MCPE' && edition !== 'MCEE') return undefined
  return {
    motd: plainText(motd, MAX_TEXT),
    version: cleanText(version, MAX_TEXT),
    onlinePlayers: countOf(online),
    maxPlayers: countOf(max),
  }
}

export const raknetPing: DatagramPing = {
  request: encodeRaknetPing,
  read(datagram) {
    const status = decodeRaknetPong(datagram)
    return status && { by: 'raknet', ...status }
  },
}

function countOf(text: string | undefined): number | undefined {
  return /^\d{1,9}$/.test(text ?? '') ? Number(text) : undefined
}
