import { viewOf } from '@lantern-room/base/bytes'
import { decodeZstd } from '../compression/zstd'
import {
  PACKET_HEADER_SIZE,
  type Packet,
  type PacketTarget,
  packetFlags,
  SEAL_SIZE,
  writePacketHeader,
} from '../wire/packet'
import { createSlab } from '../wire/slab'
import { createGcm, type Gcm, NONCE_SIZE, TAG_SIZE } from './gcm'

export type PacketCipher = ReturnType<typeof createPacketCipher>

/**
 * AES-128-GCM without associated data: the payload becomes ciphertext, tag (16 bytes), nonce (12 bytes).
 * @param key 16 bytes; @param randomBytes from a cryptographic source
 */
export function createPacketCipher(key: Uint8Array, randomBytes: (size: number) => Uint8Array) {
  // Created when first needed: its tables cost memory, and many networks are only searched and found empty.
  let made: Gcm | undefined
  const gcm = () => {
    made ??= createGcm(key)
    return made
  }
  const nextNonce = createNonces(randomBytes)
  const take = createSlab()

  return {
    /** A whole packet with a sealed payload. The payload is read, not kept. */
    seal(target: PacketTarget, payload: Uint8Array): Uint8Array {
      const nonce = nextNonce()
      const packet = take(PACKET_HEADER_SIZE + payload.length + SEAL_SIZE)
      writePacketHeader(packet, target, payload.length)
      packet[9] = (target.flags ?? 0) | packetFlags.encrypted
      gcm().encrypt(nonce, payload, packet, PACKET_HEADER_SIZE)
      packet.set(nonce, PACKET_HEADER_SIZE + payload.length + TAG_SIZE)
      return packet
    },
    /**
     * The plain payload of a packet, by its flags: opened, then decompressed. The caller decides whether it had to be
     * sealed. A plain payload is returned as it is. The result is a view of a larger buffer: copy it to keep it for
     * long.
     * @returns undefined when it was sealed with another key, changed in transit, or does not decompress
     */
    open(packet: Packet): Uint8Array | undefined {
      const isSealed = (packet.flags & packetFlags.encrypted) !== 0
      const payload = isSealed ? openSealed(packet.payload) : packet.payload
      if (payload === undefined || (packet.flags & packetFlags.compressed) === 0) return payload
      return openCompressed(payload, packet.plainLength)
    },
  }

  function openSealed(sealed: Uint8Array): Uint8Array | undefined {
    const size = sealed.length - SEAL_SIZE
    if (size < 0) return undefined
    const tag = sealed.subarray(size, size + TAG_SIZE)
    const plain = take(size)
    return gcm().decrypt(sealed.subarray(size + TAG_SIZE), sealed.subarray(0, size), tag, plain)
      ? plain
      : undefined
  }
}

/**
 * All members share the key, so nonces must not collide: eight random bytes for each run, then a counter, which costs
 * far less than twelve random bytes for each packet.
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

/** The largest IP packet, and so the largest payload. */
const MAX_PAYLOAD_SIZE = 65_535
/** Last byte of a payload that zstd has compressed. */
const ZSTD_MARKER = 1

/**
 * The payload of a packet with the flag COMPRESSED: a zstd frame, then one byte for the algorithm.
 * @param plainLength as the header claims; the result has exactly this length
 * @returns undefined for another algorithm, a damaged frame, or a length that differs or is beyond 65,535
 */
export function openCompressed(payload: Uint8Array, plainLength: number): Uint8Array | undefined {
  const end = payload.length - 1
  if (end < 0 || payload[end] !== ZSTD_MARKER || plainLength > MAX_PAYLOAD_SIZE) return undefined
  const plain = decodeZstd(payload.subarray(0, end), plainLength)
  return plain?.length === plainLength ? plain : undefined
}
