import { plainText } from './plainText'

/** The content of a LAN announcement. It has no address: only the port of an announcement is trusted. */
type AnnouncedWorld = { readonly motd: string; readonly port: number }

/** Games read 1,024 bytes; some announce a little more. */
const MAX_DATAGRAM = 2048
const MAX_MOTD = 256
/** UTF-8 bytes of the text that are sent, so that the whole datagram fits into what games read. */
const MAX_MOTD_BYTES = 960

/**
 * The datagram that announces a world: `[MOTD]text[/MOTD][AD]port[/AD]`.
 *
 * Written in UTF-8, as games since 1.13 read it; older ones use the encoding of their system. Text that resembles one of
 * the tags loses its brackets. At most 256 characters and 960 bytes of text are sent.
 * @example socket.send(encodeAnnouncement({ motd: 'A world', port: 25565 }), 4445, '224.0.2.60')
 */
export function encodeAnnouncement({ motd, port }: AnnouncedWorld): Uint8Array {
  return new TextEncoder().encode(`[MOTD]${sentMotd(motd)}[/MOTD][AD]${port}[/AD]`)
}

/**
 * Reads an announcement as games do. `[AD]` may hold `address:port` (old games); only the port is used.
 * @returns undefined for anything else, including port 0 and datagrams above 2,048 bytes; never throws
 * @example decodeAnnouncement(encodeAnnouncement({ motd: 'A world', port: 25565 })) // { motd: 'A world', port: 25565 }
 */
export function decodeAnnouncement(datagram: Uint8Array): AnnouncedWorld | undefined {
  if (datagram.length > MAX_DATAGRAM) return undefined
  const text = new TextDecoder().decode(datagram)
  const motd = between(text, '[MOTD]', '[/MOTD]', 0)
  if (motd === undefined) return undefined
  // Games refuse a second closing tag: otherwise the text itself could add an address.
  if (text.includes('[/MOTD]', motd.end)) return undefined
  const place = between(text, '[AD]', '[/AD]', motd.end)
  const port = Number(/^(?:.*:)?(\d{1,5})$/s.exec(place?.content.trim() ?? '')?.[1] ?? 0)
  if (port < 1 || port > 65_535) return undefined
  // Written in the encoding of an old game's system, such as GBK: the ping tells the name in UTF-8.
  return { motd: motd.content.includes('\uFFFD') ? '' : plainText(motd.content, MAX_MOTD), port }
}

/**
 * Whether this text is one under which another program announces the forward of one of its guests. Such a world is
 * of another machine, reached through a room, and not a game of the machine that announces it.
 * @param motd without colours, as `decodeAnnouncement` returns it
 */
export function isForwardText(motd: string): boolean {
  return FORWARD_TEXTS.includes(motd)
}

/** Terracotta's `MOTD` (src/main.rs, 2026-07), which its own hosts skip, too. */
const FORWARD_TEXTS: readonly string[] = ['双击进入陶瓦联机大厅（请保持陶瓦运行）']

function sentMotd(motd: string): string {
  const text = plainText(motd, MAX_MOTD).replace(/\[(\/?(?:MOTD|AD))\]/gi, '($1)')
  // `encodeInto` never writes a part of a character.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(MAX_MOTD_BYTES))
  return text.slice(0, read)
}

function between(
  text: string,
  opening: string,
  closing: string,
  from: number,
): { content: string; end: number } | undefined {
  const start = text.indexOf(opening, from)
  const end = start < 0 ? -1 : text.indexOf(closing, start + opening.length)
  return end < 0 ? undefined : { content: text.slice(start + opening.length, end), end: end + closing.length }
}
