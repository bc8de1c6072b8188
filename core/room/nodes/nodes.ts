import { MAX_ROOM_NODES } from '@lantern-room/protocol'

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
/** Whether it is the address of a list of nodes. */
export function isList(node: string): boolean {
  return /^https?:/i.test(node)
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
