import type { Origin } from '@lantern-room/base/network'
import { type Listener, MAX_LISTED, type NamedNode, wordsOfList } from '../transport/namedNode'
import type { Transports } from '../transport/transports'
import { parseNodeUrl } from '../wire/socketAddress'

const MAX_DEPTH = 3
/** Lists that are read for one address: each may name as many others. */
const MAX_LISTS = 16

/**
 * The nodes that a configured address stands for: itself, or, for http and https, those listed in the text at that address
 * (or in the address that it redirects to), UDP first because a relay over TCP stalls at every lost packet. What a list names is named
 * by others, whoever has named the list.
 * A list at https leads to no list at http.
 * A list within the list that cannot be read does not matter where others name nodes.
 * @throws OutboundRefusal when the list may not be asked; another Error when it cannot be read or names no node
 */
export async function expandNodes(
  node: NamedNode,
  transports: Pick<Transports, 'fetchText'>,
  signal: AbortSignal,
): Promise<readonly Listener[]> {
  let lists = 0
  return expand(node, 0)

  async function expand({ url, origin }: NamedNode, depth: number): Promise<readonly Listener[]> {
    const node = parseNodeUrl(url)
    if (node) return [{ url: node, origin }]
    if (!/^https?:\/\//i.test(url) || depth >= MAX_DEPTH)
      throw new Error('not an address of a node or a list')
    lists += 1
    if (lists > MAX_LISTS) throw new Error('it leads to too many lists')
    return read(url, await transports.fetchText(url, origin, signal), depth)
  }

  async function read(list: string, text: string, depth: number): Promise<readonly Listener[]> {
    const origin: Origin = 'others'
    const found: Listener[] = []
    let problem: unknown = new Error('the list names no node')
    for (const word of wordsOfList(text)) {
      const listed = parseNodeUrl(word)
      if (listed) found.push({ url: listed, origin })
      else if (mayLeadTo(list, word)) {
        const nested = await expand({ url: word, origin }, depth + 1).catch((error: unknown) => {
          signal.throwIfAborted()
          problem = error
          return []
        })
        found.push(...nested)
      }
    }
    if (found.length === 0) throw problem
    return found.sort((one, other) => rank(one) - rank(other)).slice(0, MAX_LISTED)
  }
}

function mayLeadTo(list: string, word: string): boolean {
  return /^https:/i.test(list) ? /^https:\/\//i.test(word) : /^https?:\/\//i.test(word)
}

function rank({ url }: Listener): number {
  return url.scheme === 'udp' ? 0 : 1
}
