import { createCipheriv, createDecipheriv } from 'node:crypto'
import { viewOf } from '../../../bytes'
import {
  PACKET_HEADER_SIZE,
  type Packet,
  type PacketTarget,
  packetFlags,
  writePacketHeader,
} from '../wire/packet'
import { openCompressed } from './compression'

/** AES-128-GCM without associated data: the payload becomes ciphertext, tag (16 bytes), nonce (12 bytes). */
const TAG_SIZE = 16
const NONCE_SIZE = 12
export const SEAL_SIZE = TAG_SIZE + NONCE_SIZE

export type PacketSeal = {
  /** A whole packet with a sealed payload. The payload is read, not kept. */
  seal(target: PacketTarget, payload: Uint8Array): Uint8Array
  /**
   * The plain payload of a packet, by its flags: opened, then decompressed. Whether it had to be sealed is for the
   * caller to know. A packet that was neither gives its payload as it is.
   * @returns undefined when it was sealed with another key, changed on its way, or does not decompress
   */
  open(packet: Packet): Uint8Array | undefined
}

/** @param key 16 bytes; @param randomBytes from a cryptographic source */
export function createPacketSeal(key: Uint8Array, randomBytes: (size: number) => Uint8Array): PacketSeal {
  const nextNonce = createNonces(randomBytes)

  return {
    seal(target, payload) {
      const nonce = nextNonce()
      const cipher = createCipheriv('aes-128-gcm', key, nonce)
      const tagAt = PACKET_HEADER_SIZE + payload.length
      const packet = new Uint8Array(tagAt + SEAL_SIZE)
      writePacketHeader(packet, target, payload.length)
      packet[9] = (target.flags ?? 0) | packetFlags.encrypted
      packet.set(cipher.update(payload), PACKET_HEADER_SIZE)
      cipher.final()
      packet.set(cipher.getAuthTag(), tagAt)
      packet.set(nonce, tagAt + TAG_SIZE)
      return packet
    },
    open(packet) {
      const isSealed = (packet.flags & packetFlags.encrypted) !== 0
      const payload = isSealed ? openSealed(key, packet.payload) : packet.payload
      if (payload === undefined || (packet.flags & packetFlags.compressed) === 0) return payload
      return openCompressed(payload, packet.plainLength)
    },
  }
}

function openSealed(key: Uint8Array, sealed: Uint8Array): Uint8Array | undefined {
  const size = sealed.length - SEAL_SIZE
  if (size < 0) return undefined
  const decipher = createDecipheriv('aes-128-gcm', key, sealed.subarray(size + TAG_SIZE), {
    authTagLength: TAG_SIZE,
  })
  decipher.setAuthTag(sealed.subarray(size, size + TAG_SIZE))
  const plain = decipher.update(sealed.subarray(0, size))
  try {
    decipher.final()
    return plain
  } catch {
    return undefined
  }
}

/**
 * All members share the key, so nonces must not meet by chance: eight random bytes for each run, then a counter, which
 * costs far less than twelve random bytes for each packet.
 */
function createNonces(randomBytes: (size: number) => Uint8Array): () => Uint8Array {
  const nonce = new Uint8Array(NONCE_SIZE)
  const view = viewOf(nonce)
  let count = 0
  return () => {
    if (count === 0) nonce.set(randomBytes(8))
    view.setUint32(8, count)
    count = (count + 1) >>> 0
    return nonce
  }
}
