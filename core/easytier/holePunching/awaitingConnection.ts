import type { Peer } from '../peer/peer'
import type { RemotePeer } from '../peer/peerOptions'

/** Aborts pending work for a member once the member is connected or has left. */
export type AwaitingConnection = {
  /** @returns a signal that aborts then, or with the network; only with the network when the member is connected already */
  signalFor(peerId: number): AbortSignal
  /** To be called after every change of members and connections. */
  update(): void
}

/** @param isConnected whether the member has a connection of the awaited quality */
export function createAwaitingConnection(
  peers: Pick<Peer, 'peer'>,
  isConnected: (peer: RemotePeer) => boolean,
  signal: AbortSignal,
): AwaitingConnection {
  const pending = new Map<number, { readonly controller: AbortController; readonly signal: AbortSignal }>()

  return {
    signalFor(peerId) {
      const member = peers.peer(peerId)
      if (member && isConnected(member)) return signal
      const known = pending.get(peerId)
      if (known) return known.signal
      const controller = new AbortController()
      const either = AbortSignal.any([signal, controller.signal])
      pending.set(peerId, { controller, signal: either })
      return either
    },
    update() {
      for (const [peerId, { controller }] of pending) {
        const member = peers.peer(peerId)
        if (member && !isConnected(member)) continue
        pending.delete(peerId)
        controller.abort(new Error(member ? 'the member is connected now' : 'the member has left'))
      }
    },
  }
}
