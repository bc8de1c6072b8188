import type { Transports } from '../transport/transports'
import { type NodeUrl, parseNodeUrl } from '../wire/socketAddress'

const MAX_LISTED = 8
const MAX_DEPTH = 3

/**
 * The nodes that a configured address stands for: itself, or, for http and https, those listed in the text at that address
 * (or in the address that it redirects to), UDP first because a relay over TCP stalls at every lost packet.
 * A list at https leads to no list at http, so that a stranger's list sends no request into this machine's LAN.
 * A list within the list that cannot be read does not matter where others name nodes.
 * @throws Error when the list cannot be read or names no node
 */
export async function expandNodes(
  url: string,
  transports: Pick<Transports, 'fetchText'>,
  signal: AbortSignal,
  depth = 0,
): Promise<readonly NodeUrl[]> {
  const node = parseNodeUrl(url)
  if (node) return [node]
  if (!/^https?:\/\//.test(url) || depth >= MAX_DEPTH) throw new Error('not an address of a node or a list')
  const text = await transports.fetchText(url, signal)
  const found: NodeUrl[] = []
  let problem: unknown = new Error('the list names no node')
  for (const word of wordsOf(text)) {
    const listed = parseNodeUrl(word)
    if (listed) found.push(listed)
    else if (mayLeadTo(url, word)) {
      const nested = await expandNodes(word, transports, signal, depth + 1).catch((error: unknown) => {
        problem = error
        return []
      })
      found.push(...nested)
    }
  }
  if (found.length === 0) throw problem
  return found.sort((one, other) => rank(one) - rank(other)).slice(0, MAX_LISTED)
}

function mayLeadTo(list: string, word: string): boolean {
  return list.startsWith('https:') ? word.startsWith('https://') : /^https?:\/\//.test(word)
}

/** Whether the text of a list names a node or another list. */
export function namesNodes(text: string): boolean {
  return wordsOf(text).some((word) => parseNodeUrl(word) !== undefined || /^https?:\/\//.test(word))
}

function wordsOf(text: string): readonly string[] {
  return text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .slice(0, MAX_LISTED)
}

function rank({ scheme }: NodeUrl): number {
  return scheme === 'udp' ? 0 : 1
}
