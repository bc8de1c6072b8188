import { DIGEST_SIZE } from '../crypto/networkIdentity'
import { encodeHello, type Handshake } from '../peer/handshake'
import { newRecord } from '../peer/routing/ownRoute'
import { NO_FEATURES } from '../wire/peerRecord'
import type { RelayOptions } from './relayOptions'

/** The name of this node's own network, by which a peer recognises it as a shared node. */
export const OWN_NETWORK = 'lantern-room-relay'

/** The record of a relay, as its members receive it. */
export function relayRecord(
  options: Pick<RelayOptions, 'hostname' | 'version' | 'randomBytes'>,
  peerId: number,
) {
  return newRecord(
    {
      peerId,
      hostname: `PublicServer_${options.hostname}`,
      address: undefined,
      programVersion: options.version,
      features: { ...NO_FEATURES, isSharedNode: true },
    },
    options.randomBytes,
  )
}

/**
 * Connections come here by their network's name and digest. A peer id that cannot be a member's gets the answer that
 * peers of other networks get, and is closed. If the network is full there is no answer: an answer and a close would be
 * taken for a wrong code.
 */
export function relayHandshake(maxMembers: number, ownId: number): Handshake {
  const answer = encodeHello(ownId, OWN_NETWORK, new Uint8Array(DIGEST_SIZE))
  const refusal = { problem: 'refused', isSharedNode: false } as const
  return {
    hello: () => answer,
    verify({ myPeerId }, _origin, members) {
      if (myPeerId === 0 || myPeerId === ownId) return { ...refusal, answer }
      // A member that is connected already may connect over another transport, too.
      const isFull = members.length >= maxMembers && !members.includes(myPeerId)
      return isFull ? { ...refusal, answer: undefined } : { answer, problem: undefined, isSharedNode: false }
    },
  }
}
