import { createHmac, createPrivateKey, createPublicKey, hkdfSync, sign, verify } from 'node:crypto'
import { concatBytes } from '@lantern-room/base/bytes'
import { openNetworkOf, type RoomCode } from '../roomCode'
import { createHostCertificate } from './hostCertificate'

/**
 * A command of this program, which `c:protocols` does not list; status 255 means that the host does not support it. The
 * request is a nonce, the response the host's public key and a signature. A guest that has pinned the key recognises the
 * host when it reconnects; a member that only has the room code cannot impersonate it.
 */
export const IDENTITY_COMMAND = 'lantern:identity'

export const NONCE_LENGTH = 32

export type HostIdentity = ReturnType<typeof createHostIdentity>

/**
 * The host's key for one room. It is derived from the secret, so that a restarted host has the same key for the same code.
 * @param secret at least 32 random bytes that never leave the host's machine
 * @throws RangeError when it is shorter
 * @example const { credentials, guestProof } = createHostIdentity(secret, room)
 */
export function createHostIdentity(secret: Uint8Array, room: RoomCode) {
  if (secret.length < 32) throw new RangeError('the secret of an identity must have at least 32 bytes')
  const derive = (what: string) =>
    new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), `lantern ${what} ${room.text}`, 32))
  const seed = derive('host key')
  const privateKey = createPrivateKey(pem('PRIVATE KEY', concatBytes([PKCS8_ED25519, seed])))
  const publicKey = new Uint8Array(createPublicKey(privateKey).export({ format: 'der', type: 'spki' })).slice(
    -32,
  )
  return {
    /** 32 bytes: Ed25519. */
    publicKey,
    credentials: {
      privateKey: String(privateKey.export({ format: 'pem', type: 'pkcs8' })),
      certificate: pem('CERTIFICATE', createHostCertificate(privateKey)),
    },
    /**
     * The proof by which the host of this room recognises this machine's player: 32 bytes that only the host sees, unlike the
     * machine id, which all players see.
     */
    guestProof: derive('guest proof'),
    /** @returns public key and signature, 96 bytes; undefined when the nonce does not have 32 bytes */
    prove(nonce: Uint8Array): Uint8Array | undefined {
      if (nonce.length !== NONCE_LENGTH) return undefined
      return concatBytes([publicKey, sign(null, signedText(nonce, room), privateKey)])
    },
    /** @returns public key and signature of an invitation's body, 96 bytes */
    signInvitation: (body: Uint8Array): Uint8Array =>
      concatBytes([publicKey, sign(null, invitationText(body), privateKey)]),
  }
}

/** @returns the public key when the proof is valid for this nonce and room */
export function verifyIdentity(proof: Uint8Array, nonce: Uint8Array, room: RoomCode): Uint8Array | undefined {
  return keyOfProof(proof, signedText(nonce, room))
}

/** @returns the public key when the signature is valid for this body of an invitation */
export function verifyInvitation(proof: Uint8Array, body: Uint8Array): Uint8Array | undefined {
  return keyOfProof(proof, invitationText(body))
}

function keyOfProof(proof: Uint8Array, text: Uint8Array): Uint8Array | undefined {
  if (proof.length !== 96) return undefined
  const publicKey = proof.slice(0, 32)
  try {
    const key = createPublicKey(pem('PUBLIC KEY', concatBytes([SPKI_ED25519, publicKey])))
    return verify(null, text, key, proof.subarray(32)) ? publicKey : undefined
  } catch {
    return undefined
  }
}

/** The DER prefixes of a 32-byte Ed25519 key (RFC 8410). */
const PKCS8_ED25519 = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20)
const SPKI_ED25519 = Uint8Array.of(0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0)

const encoder = new TextEncoder()

/** The context string keeps the signature from being valid for anything else. */
function signedText(nonce: Uint8Array, room: RoomCode): Uint8Array {
  const name = room.privacy === 'open' ? openNetworkOf(room).name : room.text
  return concatBytes([encoder.encode('lantern host identity\0'), nonce, encoder.encode(name)])
}

function invitationText(body: Uint8Array): Uint8Array {
  return concatBytes([encoder.encode('lantern invitation\0'), body])
}

function pem(label: string, der: Uint8Array): string {
  return `-----BEGIN ${label}-----\n${btoa(String.fromCharCode(...der))}\n-----END ${label}-----\n`
}

/**
 * The machine id that the players of one room see: a different one in each room, so that a player cannot be tracked from
 * one room to the next, and always the same in one room.
 * @param lastingId of this player; it never leaves the machine
 * @returns 32 lower-case hexadecimal digits: the first half of HMAC-SHA-256 over the room code
 * @example const player = { name: 'Alex', machineId: playerIdIn(room, lastingId), vendor: 'Demo 1.0' }
 */
export function playerIdIn(room: RoomCode, lastingId: string): string {
  return createHmac('sha256', lastingId).update(`lantern player ${room.text}`).digest('hex').slice(0, 32)
}
