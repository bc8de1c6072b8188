import { isPrintable } from '@lantern-room/base'

/** Addresses of shared nodes, where members of a room meet. */

/**
 * What launchers ship, so that players who configure nothing have a node in common: Terracotta's list, `src/easytier/publics.rs`
 * of 2026-07-12. The last two are lists, read when a room is opened. Operators have asked at times not to be used: check this
 * list against its source before a release.
 */
export const DEFAULT_NODES: readonly string[] = [
  'tcp://public.easytier.top:11010',
  'tcp://public2.easytier.cn:54321',
  'https://etnode.zkitefly.eu.org:443/node1',
  'https://etnode.zkitefly.eu.org:443/node2',
]

/** Where the configured ones come from: this program itself, `ROOM_NODES`, or a client of the service that has set them. */
export type NodesFrom = 'default' | 'environment' | 'client'

export const MAX_NODES = 8
/** How many nodes one room may have, including those that a launcher adds for it. */
export const MAX_ROOM_NODES = 16

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  tcp: 11_010,
  udp: 11_010,
  ws: 80,
  wss: 443,
  http: 80,
  https: 443,
}

/** A node's address as `scheme://host:port`, or with its path for a list. */
export function parseNode(word: string): string | undefined {
  const match = /^(tcp|udp|ws|wss|http|https):\/\/(\[[0-9a-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?(\/\S*)?$/i.exec(
    word,
  )
  // An invitation may be a stranger's, and the address is shown, and logged.
  if (!match || !isPrintable(word)) return undefined
  const [, scheme = '', host = '', portText, path = ''] = match
  const port = portText === undefined ? DEFAULT_PORTS[scheme.toLowerCase()] : Number(portText)
  if (port === undefined || port < 1 || port > 65_535) return undefined
  return `${scheme.toLowerCase()}://${host}:${port}${path === '/' ? '' : path}`
}

/** Whether it is the address of a list of nodes. */
export function isList(node: string): boolean {
  return /^https?:/i.test(node)
}

/** Whether it is the address of a list that is read without encryption. */
export function isPlainList(node: string): boolean {
  return /^http:/i.test(node)
}

/** Whether it is the address of a node by a transport of EasyTier that this program does not have. */
export function isForeignNode(word: string): boolean {
  return /^(wg|quic|faketcp|txt|srv|unix|ring):\/\/[^\s/]\S*$/i.test(word)
}

/** The configured nodes first: they are those that the room's players have in common. */
export function nodesOfRoom(configured: readonly string[], given: readonly string[] = []): readonly string[] {
  return [...new Set([...configured, ...given])].slice(0, MAX_ROOM_NODES)
}

/** The nodes of a guest's room. What an invitation names stays apart, since it leads to no machine of the guest's own. */
export function nodesOfGuest(
  configured: readonly string[],
  { nodes = [], invitedNodes = [] }: { nodes?: readonly string[]; invitedNodes?: readonly string[] },
): { readonly nodes: readonly string[]; readonly invitedNodes: readonly string[] } {
  const own = nodesOfRoom(configured, nodes)
  const others = [...new Set(invitedNodes)].filter((url) => !own.includes(url))
  return { nodes: own, invitedNodes: others.slice(0, MAX_ROOM_NODES - own.length) }
}
