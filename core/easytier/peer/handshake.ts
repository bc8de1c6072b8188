import { equalBytes } from '#core/bytes'
import { DIGEST_SIZE, isZeroDigest, type NetworkIdentity, secretDigest } from '../crypto/networkIdentity'
import { type Decoded, HANDSHAKE_MAGIC, HANDSHAKE_VERSION, handshakeRequest } from '../wire/messages'
import type { ConnectionOrigin, ConnectionProblem } from './peerConnection'

/** What a peer says in the handshake, and what it thinks of what it hears. */
export type Handshake = {
  /** The payload that a dialler begins with. */
  readonly hello: () => Uint8Array
  readonly judge: (hello: Hello, origin: ConnectionOrigin) => HandshakeVerdict
}

export type Hello = Decoded<typeof handshakeRequest>

export type HandshakeVerdict = {
  /** A listener's answer: it always answers first and closes afterwards what it refuses. */
  readonly answer: Uint8Array | undefined
  /** Undefined = welcome. */
  readonly problem: ConnectionProblem | undefined
  /** Whether the other side is a node of another network. */
  readonly isSharedNode: boolean
}

/** The handshake of a member: it shows its digest to whoever it dials, and to members that dial it. */
export function memberHandshake(identity: NetworkIdentity, ownId: number): Handshake {
  const digest = secretDigest(identity)
  const zeros = new Uint8Array(DIGEST_SIZE)

  return {
    hello: () => encodeHello(ownId, identity.name, digest),
    judge({ myPeerId, networkName, networkSecretDigest: shown }, origin) {
      const isOurs = networkName === identity.name
      const isMember = isOurs && equalBytes(shown, digest)
      const isSharedNode = !isMember
      if (!origin.isDialler) {
        // Without a whole digest there is no answer at all.
        if (shown.length !== DIGEST_SIZE) return { answer: undefined, problem: 'refused', isSharedNode }
        const answer = encodeHello(ownId, identity.name, isMember ? digest : zeros)
        const refusal = isOurs ? 'wrong-secret' : 'other-network'
        return { answer, problem: isMember ? wrongPeer(myPeerId, ownId, origin) : refusal, isSharedNode }
      }
      const problem = isMember
        ? undefined
        : isOurs
          ? isZeroDigest(shown)
            ? 'wrong-secret'
            : 'refused'
          : undefined
      // Somebody of another network is a shared node only where one was looked for.
      const isStranger = !isOurs && origin.url === undefined
      const judged = problem ?? (isStranger ? 'other-network' : wrongPeer(myPeerId, ownId, origin))
      return { answer: undefined, problem: judged, isSharedNode }
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

function wrongPeer(
  peerId: number,
  ownId: number,
  { expectPeer }: ConnectionOrigin,
): ConnectionProblem | undefined {
  if (peerId === ownId || peerId === 0) return 'own-self'
  return expectPeer !== undefined && expectPeer !== peerId ? 'unexpected-peer' : undefined
}
