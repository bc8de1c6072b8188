import { createCipheriv, createDecipheriv } from 'node:crypto'
import { type GcmMachine, gcmMachine, layout, MOST_TEXT } from './gcmMachine'
import { createKeyStream, type KeyStream } from './keyStream'

/** AES-128-GCM under one key, without associated data. Nonces have 12 bytes, tags 16. */
export type Gcm = {
  /** Writes the ciphertext and then the tag to `into`, from `at` on. */
  encrypt(nonce: Uint8Array, plain: Uint8Array, into: Uint8Array, at: number): void
  /** Writes the plain text to the start of `into`. @returns false when it is not what was encrypted; nothing is written then */
  decrypt(nonce: Uint8Array, ciphertext: Uint8Array, tag: Uint8Array, into: Uint8Array): boolean
}

export const TAG_SIZE = 16
export const NONCE_SIZE = 12
const BLOCK = 16

/** @param key 16 bytes */
export function createGcm(key: Uint8Array): Gcm {
  const machine = gcmMachine()
  return machine ? createFastGcm(key, machine) : createNodeGcm(key)
}

/** As Node has it: a new context for each text. */
export function createNodeGcm(key: Uint8Array): Gcm {
  return {
    encrypt(nonce, plain, into, at) {
      const cipher = createCipheriv('aes-128-gcm', key, nonce)
      into.set(cipher.update(plain), at)
      cipher.final()
      into.set(cipher.getAuthTag(), at + plain.length)
    },
    decrypt(nonce, ciphertext, tag, into) {
      const decipher = createDecipheriv('aes-128-gcm', key, nonce, { authTagLength: TAG_SIZE })
      decipher.setAuthTag(tag)
      const plain = decipher.update(ciphertext)
      try {
        decipher.final()
      } catch {
        return false
      }
      into.set(plain)
      return true
    },
  }
}

/** The key stream from Node's AES, all else by the machine. @see NIST SP 800-38D */
export function createFastGcm(key: Uint8Array, machine: GcmMachine): Gcm {
  const { memory } = machine
  // One for each direction: both go through nonces that follow each other.
  const toEncrypt = createKeyStream(key)
  const toDecrypt = createKeyStream(key)
  const aes = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  const tables = hashTables(aes.update(new Uint8Array(BLOCK)))

  return {
    encrypt(nonce, plain, into, at) {
      const { length } = plain
      const end = begin(toEncrypt, nonce, plain)
      if (end > 0) machine.addPad(end)
      into.set(memory.subarray(layout.text, layout.text + length), at)
      finishHash(length, end)
      for (let i = 0; i < TAG_SIZE; i += 1) into[at + length + i] = tagByte(i)
    },
    decrypt(nonce, ciphertext, tag, into) {
      const { length } = ciphertext
      if (length > MOST_TEXT) return false
      const end = begin(toDecrypt, nonce, ciphertext)
      finishHash(length, end)
      let difference = 0
      for (let i = 0; i < TAG_SIZE; i += 1) difference |= tagByte(i) ^ (tag[i] ?? 0)
      if (difference !== 0) return false
      if (end > 0) machine.addPad(end)
      into.set(memory.subarray(layout.text, layout.text + length))
      return true
    },
  }

  /** Puts text and key stream into the machine. @returns bytes of the text in whole blocks */
  function begin(keyStream: KeyStream, nonce: Uint8Array, text: Uint8Array): number {
    const end = Math.ceil(text.length / BLOCK) * BLOCK
    memory.set(text, layout.text)
    memory.set(keyStream.under(nonce, end / BLOCK + 1), layout.pad)
    return end
  }

  /** Hashes the text, zeros up to a whole block, and the block of lengths. */
  function finishHash(length: number, end: number): void {
    if (loadedTables !== tables) {
      memory.set(tables, layout.tables)
      loadedTables = tables
    }
    memory.fill(0, layout.state, layout.text)
    memory.fill(0, layout.text + length, layout.text + end + BLOCK)
    const bits = length * 8
    for (let i = 0; i < 4; i += 1) memory[layout.text + end + BLOCK - 1 - i] = bits >>> (8 * i)
    machine.hash(end + BLOCK)
  }

  function tagByte(at: number): number {
    return (memory[layout.state + at] ?? 0) ^ (memory[layout.pad + at] ?? 0)
  }
}

/** Whose tables the machine has; all keys of the process share it. */
let loadedTables: Uint8Array | undefined

/** All products of the hash key with a block in which one half byte is not zero, as `layout.tables` wants them. */
function hashTables(hashKey: Uint8Array): Uint8Array {
  const tables = new Uint8Array(layout.tablesSize)
  const product = Uint8Array.from(hashKey)
  for (let bit = 0; bit < 128; bit += 1) {
    // Bits count from the highest of each byte; the half bytes of a byte from the lower one.
    const place = (bit >> 3) * 2 + ((bit & 4) === 0 ? 1 : 0)
    const weight = 8 >> (bit & 3)
    for (let value = 0; value < 16; value += 1) {
      if ((value & weight) === 0) continue
      const at = (place * 16 + value) * BLOCK
      for (let i = 0; i < BLOCK; i += 1) tables[at + i] = (tables[at + i] ?? 0) ^ (product[i] ?? 0)
    }
    timesX(product)
  }
  return tables
}

/** In the field of 2^128 elements, whose bits lie in the other order than a number's. */
function timesX(element: Uint8Array): void {
  let carry = 0
  for (let i = 0; i < BLOCK; i += 1) {
    const byte = element[i] ?? 0
    element[i] = (byte >> 1) | (carry << 7)
    carry = byte & 1
  }
  if (carry === 1) element[0] = (element[0] ?? 0) ^ 0xe1
}
