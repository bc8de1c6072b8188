import { equalBytes } from '@lantern-room/base/bytes'
import { DIGEST_SIZE, isZeroDigest, type NetworkIdentity, secretDigest } from '../crypto/networkIdentity'
import { HANDSHAKE_MAGIC, HANDSHAKE_VERSION, handshakeRequest, type MessageOf } from '../wire/messages'
import type { ConnectionOrigin, ConnectionProblem } from './peerConnection'

/** One side of the handshake: what it sends, and how it verifies what it receives. */
export type Handshake = {
  /** The payload that a dialler begins with. */
  readonly hello: () => Uint8Array
  /** @param neighbours peer ids of the established connections */
  readonly verify: (hello: Hello, origin: ConnectionOrigin, neighbours: readonly number[]) => HandshakeReply
}

type Hello = MessageOf<typeof handshakeRequest>

type HandshakeReply = {
  /** A listener's answer, sent also before it closes a connection that it refuses. */
  readonly answer: Uint8Array | undefined
  /** Undefined when the connection is accepted. */
  readonly problem: ConnectionProblem | undefined
  /** Whether the other side is a node of another network. */
  readonly isSharedNode: boolean
}

/**
 * The handshake of a member: it shows its digest to every node that it dials, and to members that dial it.
 * @see docs/network/protocol.md, "Keys"
 */
export function memberHandshake({ name, secret }: NetworkIdentity, ownId: number): Handshake {
  const digest = secretDigest({ name, secret })
  const hello = encodeHello(ownId, name, digest)
  const zeroDigest = encodeHello(ownId, name, new Uint8Array(DIGEST_SIZE))

  return {
    hello: () => hello,
    verify(theirs, origin) {
      const claim = claimOf(theirs, { networkName: name, digest })
      const isSharedNode = claim !== 'member'
      if (!origin.isDialler && theirs.networkSecretDigest.length !== DIGEST_SIZE) {
        return { answer: undefined, problem: 'refused', isSharedNode }
      }
      // A listener's digest goes to members only.
      const answer = claim === 'member' ? hello : zeroDigest
      return {
        answer: origin.isDialler ? undefined : answer,
        problem: problemOf(claim, origin) ?? wrongPeer(theirs.myPeerId, ownId, origin),
        isSharedNode,
      }
    },
  }
}

/** @param digest of name and secret, or zeros */
export function encodeHello(myPeerId: number, networkName: string, digest: Uint8Array): Uint8Array {
  return handshakeRequest.encode({
    magic: HANDSHAKE_MAGIC,
    version: HANDSHAKE_VERSION,
    myPeerId,
    networkName,
    networkSecretDigest: digest,
  })
}

/** The other side's handshake. */
type Claim = 'member' | 'zero-digest' | 'other-digest' | 'other-network'

/** Undefined: accepted, if the peer id is right. A node of another network is a shared node only where one was dialled. */
function problemOf(claim: Claim, { isDialler, url }: ConnectionOrigin): ConnectionProblem | undefined {
  switch (claim) {
    case 'member':
      return undefined
    case 'zero-digest':
      return 'wrong-secret'
    case 'other-digest':
      return isDialler ? 'refused' : 'wrong-secret'
    case 'other-network':
      return isDialler && url !== undefined ? undefined : 'other-network'
  }
}

function claimOf(
  { networkName, networkSecretDigest }: Hello,
  own: { readonly networkName: string; readonly digest: Uint8Array },
): Claim {
  if (networkName !== own.networkName) return 'other-network'
  if (equalBytes(networkSecretDigest, own.digest)) return 'member'
  return isZeroDigest(networkSecretDigest) ? 'zero-digest' : 'other-digest'
}

function wrongPeer(
  peerId: number,
  ownId: number,
  { expectPeer }: ConnectionOrigin,
): ConnectionProblem | undefined {
  if (peerId === ownId || peerId === 0) return 'own-self'
  return expectPeer !== undefined && expectPeer !== peerId ? 'unexpected-peer' : undefined
}
