import { isPrintable } from '@lantern-room/base'

/** Addresses of shared nodes, where members of a room meet: as launchers write them, and invitations carry them. */

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

/**
 * A node's address as `scheme://host:port`, or with its path for a list.
 * @returns undefined when it is no address of a node by these schemes
 * @example parseNode('tcp://node.example.com') // 'tcp://node.example.com:11010'
 */
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

/** Whether it is the address of a list that is read without encryption. */
export function isPlainList(node: string): boolean {
  return /^http:/i.test(node)
}
