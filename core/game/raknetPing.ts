import { cleanText } from '@lantern-room/base'
import { countOf } from './legacyPing'
import { plainText } from './plainText'
import type { DatagramPing } from './ports'

/** Offline message id of RakNet: 00ffff00fefefefefdfdfdfd12345678. */
const MAGIC = Uint8Array.of(0, 255, 255, 0, 254, 254, 254, 254, 253, 253, 253, 253, 18, 52, 86, 120)
const PING = 0x01
const PONG = 0x1c
/** Id, time, the server's id. */
const PONG_HEAD = 1 + 8 + 8
const MAX_TEXT = 256

/**
 * RakNet's unconnected ping, by which servers of the Bedrock edition describe themselves.
 * @see https://minecraft.wiki/w/RakNet
 * @example socket.send(raknetPing.request(), 19132, '192.168.1.255')
 */
export const raknetPing: DatagramPing = {
  /** Id, time (8 bytes), the message id, the client's id (8 bytes). */
  request() {
    const ping = new Uint8Array(1 + 8 + MAGIC.length + 8)
    ping[0] = PING
    ping.set(MAGIC, 9)
    return ping
  },
  /** Id, time, server id, the message id, length (2 bytes), `MCPE;motd;protocol;version;players;most;…`. */
  read(datagram) {
    const textAt = PONG_HEAD + MAGIC.length + 2
    if (datagram[0] !== PONG || datagram.length < textAt) return undefined
    if (MAGIC.some((byte, at) => datagram[PONG_HEAD + at] !== byte)) return undefined
    const [edition, motd = '', , version = '', online, max] = new TextDecoder()
      .decode(datagram.subarray(textAt))
      .split(/(?<!\\);/)
    if (edition !== 'MCPE' && edition !== 'MCEE') return undefined
    return {
      by: 'raknet',
      motd: plainText(motd, MAX_TEXT),
      version: cleanText(version, MAX_TEXT),
      onlinePlayers: countOf(online),
      maxPlayers: countOf(max),
    }
  },
}
