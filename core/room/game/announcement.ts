import { plainText } from './plainText'
import type { AnnouncedWorld } from './ports'

/** Games read 1,024 bytes; some announce a little more. */
const MAX_DATAGRAM = 2048
const MAX_MOTD = 256

/**
 * The datagram that announces a world: `[MOTD]text[/MOTD][AD]port[/AD]`.
 *
 * Written in ASCII, because old games read it in the encoding of their system: accents are removed, other characters
 * become `?`, and text that resembles one of the tags loses its brackets. At most 256 characters of text are sent.
 */
export function encodeAnnouncement({ motd, port }: AnnouncedWorld): Uint8Array {
  return new TextEncoder().encode(`[MOTD]${asciiMotd(motd)}[/MOTD][AD]${port}[/AD]`)
}

/**
 * Reads an announcement as games do. `[AD]` may hold `address:port` (old games); only the port is used.
 * @returns undefined for anything else, including port 0 and datagrams above 2,048 bytes; never throws
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
  return { motd: plainText(motd.content, MAX_MOTD), port }
}

function asciiMotd(motd: string): string {
  return plainText(motd, MAX_MOTD)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\x20-\x7e]/gu, '?')
    .replace(/\[(\/?(?:MOTD|AD))\]/gi, '($1)')
    .slice(0, MAX_MOTD)
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
