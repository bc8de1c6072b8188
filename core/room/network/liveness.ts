import type { Network } from '#core/easytier/network'
import { rpcMethods } from '#core/easytier/wire/messages'

/** Asks a member for anything: every answer is a sign of life, also a refusal. It may have no effect at the other side. */
export function probeLiveness(peer: Network, peerId: number, limitMs: number, onSign: () => void): void {
  const request = rpcMethods.getGlobalPeerMap.request.encode({})
  peer.call(peerId, 'getGlobalPeerMap', request, limitMs, ({ kind }) => {
    if (kind !== 'silence') onSign()
  })
}
