import type { Peer, RemotePeer } from '../peer/peer'

/** Ends what is done for a member as soon as there is such a link to it, or it has gone. */
export type AwaitingConnection = {
  /** @returns a signal that aborts then, or with the room; only with the room where there is a link already */
  signalFor(peerId: number): AbortSignal
  /** To be called after every change. */
  look(): void
}

/** @param isLinked whether the link that there is, if any, is what is waited for */
export function createAwaitingConnection(
  node: () => Pick<Peer, 'peer'>,
  isLinked: (peer: RemotePeer) => boolean,
  signal: AbortSignal,
): AwaitingConnection {
  const waiting = new Map<number, { readonly controller: AbortController; readonly signal: AbortSignal }>()

  return {
    signalFor(peerId) {
      const there = node().peer(peerId)
      if (there && isLinked(there)) return signal
      const known = waiting.get(peerId)
      if (known) return known.signal
      const controller = new AbortController()
      const either = AbortSignal.any([signal, controller.signal])
      waiting.set(peerId, { controller, signal: either })
      return either
    },
    look() {
      for (const [peerId, { controller }] of waiting) {
        const peer = node().peer(peerId)
        if (peer && !isLinked(peer)) continue
        waiting.delete(peerId)
        controller.abort(new Error(peer ? 'there is a link now' : 'the member has gone'))
      }
    },
  }
}
