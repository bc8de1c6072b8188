import type { PeerConnection } from '#internal/easytier/peer/peerConnection'

/** An established connection to this peer: dialled by us over UDP, with a round trip of 10 ms. */
export function peerConnection(peerId: number, changes: Partial<PeerConnection> = {}): PeerConnection {
  return {
    send: () => undefined,
    peerId,
    isSharedNode: false,
    origin: { transport: 'udp', isDialler: true },
    roundTrip: 10,
    answeredAt: 0,
    ...changes,
  }
}
