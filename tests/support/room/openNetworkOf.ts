import type { NetworkIdentity } from '@lantern-room/easytier'

/**
 * Name and secret of the network that a code with these characters has in an open room, as every launcher reads them.
 * @see docs/room-protocol.md, "Room code"
 */
export function openNetworkOf(code: string): NetworkIdentity {
  const [first, second, third, fourth] = code.slice(2).split('-')
  return { name: `scaffolding-mc-${first}-${second}`, secret: `${third}-${fourth}` }
}
