import type { Network } from '#core/easytier/network'
import { rpcMethods } from '#core/easytier/wire/messages'

/** Sends a call without effect to a member: every answer, even a refusal, proves that it is alive. */
export function probeLiveness(peer: Network, peerId: number, limitMs: number, onSign: () => void): void {
  const request = rpcMethods.getGlobalPeerMap.request.encode({})
  peer.call(peerId, 'getGlobalPeerMap', request, limitMs, ({ kind }) => {
    if (kind !== 'silence') onSign()
  })
}
