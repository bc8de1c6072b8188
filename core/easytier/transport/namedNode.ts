import { type Origin, type OutboundRefusal, refusalOf } from '@lantern-room/base/network'
import { type NodeUrl, parseNodeUrl } from '../wire/socketAddress'
import type { Transports } from './transports'

/** That count of the words of a list, and of what it leads to in the end. */
export const MAX_LISTED = 8

/** The address of a shared node, or of a list of them, and who has named it. */
export type NamedNode = { readonly url: string; readonly origin: Origin }

/** A node's listener, and who has named it. */
export type Listener = { readonly url: NodeUrl; readonly origin: Origin }

/** The shared nodes of a network. */
export type NodesOfNetwork = {
  /** What the user has typed: `scheme://host:port`, or http(s) lists of them. */
  readonly nodes: readonly string[]
  /**
   * The same of an invitation, which leads to no machine of the guest's own.
   * @default none
   */
  readonly invitedNodes?: readonly string[] | undefined
}

export function namedNodes({ nodes, invitedNodes = [] }: NodesOfNetwork): readonly NamedNode[] {
  const others = invitedNodes.filter((url) => !nodes.includes(url))
  return [
    ...nodes.map((url): NamedNode => ({ url, origin: 'typed' })),
    ...others.map((url): NamedNode => ({ url, origin: 'others' })),
  ]
}

/**
 * The addresses of a listener that may be connected to.
 * @throws OutboundRefusal when there are only others; another Error when the name has none, or the signal's reason
 */
export async function addressesOf(
  { url, origin }: Listener,
  { resolve, machine }: Pick<Transports, 'resolve' | 'machine'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { scheme, host, port, path } = url
  const isWeb = scheme === 'ws' || scheme === 'wss'
  let refusal: OutboundRefusal | undefined
  const allowed = (await resolve(host, signal)).filter((address) => {
    const refused = refusalOf({ origin, scheme, host, port, path: isWeb ? path : '/', address }, machine)
    refusal ??= refused
    return refused === undefined
  })
  if (allowed.length === 0 && refusal) throw refusal
  return allowed
}

/**
 * Whether the text of a list names a node or another list.
 * @example
 * namesNodes('tcp://node.example.com:11010') // true
 */
export function namesNodes(text: string): boolean {
  return wordsOfList(text).some((word) => parseNodeUrl(word) !== undefined || /^https?:\/\//i.test(word))
}

/** The words of a list, the first eight. */
export function wordsOfList(text: string): readonly string[] {
  return text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .slice(0, MAX_LISTED)
}
