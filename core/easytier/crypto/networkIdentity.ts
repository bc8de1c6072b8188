import { concatBytes } from '@lantern-room/base/bytes'
import { sipHash13 } from './sipHash'

export type NetworkIdentity = { readonly name: string; readonly secret: string }

export const DIGEST_SIZE = 32

/**
 * The digest that a handshake shows instead of the secret. It is a fast hash, so that short secrets can be guessed
 * from it. Four times: the hash of name, secret and all earlier digests is appended.
 * @returns 32 bytes
 * @see docs/network/protocol.md, "Keys"
 */
export function secretDigest({ name, secret }: NetworkIdentity): Uint8Array {
  let hashed = utf8(name + secret)
  let digest: Uint8Array = new Uint8Array(0)
  for (let i = 0; i < DIGEST_SIZE / 8; i++) {
    digest = concatBytes([digest, sipHash13(hashed)])
    hashed = concatBytes([hashed, digest])
  }
  return digest
}

/** The AES-128 key that members encrypt with: two hashes of the secret. @returns 16 bytes */
export function networkKey(secret: string): Uint8Array {
  const bytes = utf8(secret)
  const first = sipHash13(bytes)
  return concatBytes([first, sipHash13(concatBytes([bytes, first]))])
}

/** Listeners answer with it to peers of other networks. */
export function isZeroDigest(digest: Uint8Array): boolean {
  return digest.length === DIGEST_SIZE && digest.every((byte) => byte === 0)
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
