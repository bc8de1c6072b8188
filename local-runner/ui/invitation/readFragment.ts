import { cleanText } from '#core/room/cleanText'
import { readRoomCode } from '#core/room/readRoomCode'

const MAX_TEXT = 64
const MAX_MODS = 1000

/**
 * What the page shows of an invitation. The program checks its signature: here anyone could have made link and page.
 * @param hash of the page's address, `#1.<body>.<proof>`
 * @returns undefined when it is damaged
 * @see docs/room-protocol.md, "Invitation"
 */
export function readFragment(hash: string) {
  const [, fragment, body = ''] = /^#(1\.([\w-]+)\.[\w-]+)$/.exec(hash) ?? []
  const { c, p, g, m, l } = contentOf(body)
  const { code } = readRoomCode(shown(c))
  if (!code) return undefined
  const names = Array.isArray(l) ? l.slice(0, MAX_MODS).map(shown) : []
  return {
    code: code.text,
    isPrivate: code.privacy === 'private',
    name: shown(p),
    gameVersion: shown(g),
    mods: Array.isArray(m) && Number.isInteger(m[0]) ? { count: Number(m[0]), names } : undefined,
    link: `lantern-room:#${fragment}`,
  }
}

function contentOf(body: string): Readonly<Record<string, unknown>> {
  try {
    const bytes = Uint8Array.from(atob(body.replaceAll('-', '+').replaceAll('_', '/')), (one) =>
      one.charCodeAt(0),
    )
    return { ...JSON.parse(new TextDecoder().decode(bytes)) }
  } catch {
    return {}
  }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? cleanText(value, MAX_TEXT) : ''
}
