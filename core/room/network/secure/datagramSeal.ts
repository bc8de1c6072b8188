import { createCipheriv, createDecipheriv } from 'node:crypto'
import { concatBytes, viewOf } from '@lantern-room/base/bytes'
import { encodePort } from '@lantern-room/protocol/client'
import type { SecureStream } from '../../ports'

/** Datagrams may overtake each other by so many. */
const WINDOW = 1024
const LABEL = 'EXPORTER-lantern-room datagrams'
export const ID_SIZE = 8
const KEY_SIZE = 32
const HEADER_SIZE = 16
const TAG_SIZE = 16
const ALGORITHM = 'aes-256-gcm'

export type DatagramSeal = ReturnType<typeof createDatagramSeal>

/**
 * Seals datagrams between a guest and the host under keys that both derive from a TLS connection to the room port. Each
 * direction has a key of its own. A sealed datagram is: id of the keys (8 bytes), number of the datagram (8, big-endian),
 * ciphertext, tag (16), by AES-256-GCM; id, number and the port of the host are authenticated with it.
 */
export function createDatagramSeal({ exportKey }: Pick<SecureStream, 'exportKey'>, side: 'guest' | 'host') {
  const exported = exportKey(LABEL, ID_SIZE + 2 * KEY_SIZE)
  const id = exported.slice(0, ID_SIZE)
  const ofGuest = exported.slice(ID_SIZE, ID_SIZE + KEY_SIZE)
  const ofHost = exported.slice(ID_SIZE + KEY_SIZE)
  const [ownKey, otherKey] = side === 'guest' ? [ofGuest, ofHost] : [ofHost, ofGuest]
  const window = createReplayWindow(WINDOW)
  let sent = 0

  return {
    id: viewOf(id).getBigUint64(0),
    /** @param port the host's */
    seal(port: number, plain: Uint8Array): Uint8Array {
      const header = concatBytes([id, new Uint8Array(8)])
      viewOf(header).setBigUint64(ID_SIZE, BigInt(sent))
      sent += 1
      const cipher = createCipheriv(ALGORITHM, ownKey, nonceOf(header))
      cipher.setAAD(withPort(header, port))
      const sealed = cipher.update(plain)
      cipher.final()
      return concatBytes([header, sealed, cipher.getAuthTag()])
    },
    /** @returns undefined when it is not of these keys or this port, was changed, or arrived before */
    open(port: number, sealed: Uint8Array): Uint8Array | undefined {
      if (sealed.length < HEADER_SIZE + TAG_SIZE) return undefined
      const header = sealed.subarray(0, HEADER_SIZE)
      const number = Number(viewOf(header).getBigUint64(ID_SIZE))
      if (!Number.isSafeInteger(number) || !window.isFresh(number)) return undefined
      const decipher = createDecipheriv(ALGORITHM, otherKey, nonceOf(header), { authTagLength: TAG_SIZE })
      decipher.setAAD(withPort(header, port))
      decipher.setAuthTag(sealed.subarray(-TAG_SIZE))
      const plain = decipher.update(sealed.subarray(HEADER_SIZE, -TAG_SIZE))
      try {
        decipher.final()
      } catch {
        return undefined
      }
      window.add(number)
      return new Uint8Array(plain)
    },
  }
}

/** Unique for a key, because each key is used in one direction and numbers are not repeated. */
function nonceOf(header: Uint8Array): Uint8Array {
  const nonce = new Uint8Array(12)
  nonce.set(header.subarray(ID_SIZE, HEADER_SIZE), 4)
  return nonce
}

function withPort(header: Uint8Array, port: number): Uint8Array {
  return concatBytes([header, encodePort(port)])
}

/**
 * Tells numbers that were seen before, where they may arrive in another order and with gaps. @see RFC 4303, section 3.4.3
 * @param size how far a number may be behind the highest one
 */
export function createReplayWindow(size: number) {
  const seen = new Uint8Array(size)
  let highest = -1

  return {
    /** Whether a number is new; false, too, when it is so far behind the highest one that this is no longer known. */
    isFresh: (number: number): boolean =>
      number > highest || (number > highest - size && seen[number % size] === 0),
    /** @param number a fresh one, from 0 up */
    add(number: number): void {
      const firstNew = Math.max(highest + 1, number - size + 1)
      for (let next = firstNew; next < number; next++) seen[next % size] = 0
      seen[number % size] = 1
      highest = Math.max(highest, number)
    },
  }
}
