import { createCipheriv, createDecipheriv } from 'node:crypto'
import { type GcmWasm, gcmWasm, layout, MAX_TEXT } from './gcmWasm'
import { createKeyStream, type KeyStream } from './keyStream'

/** AES-128-GCM under one key, without associated data. Nonces have 12 bytes, tags 16. */
export type Gcm = {
  /** Writes the ciphertext and then the tag to `into`, from `at` on. */
  encrypt(nonce: Uint8Array, plain: Uint8Array, into: Uint8Array, at: number): void
  /**
   * Writes the plain text to the start of `into`. @returns false when the tag does not match; `into` is then
   * unchanged
   */
  decrypt(nonce: Uint8Array, ciphertext: Uint8Array, tag: Uint8Array, into: Uint8Array): boolean
}

export const TAG_SIZE = 16
export const NONCE_SIZE = 12
const BLOCK = 16

/** @param key 16 bytes */
export function createGcm(key: Uint8Array): Gcm {
  const wasm = gcmWasm()
  return wasm ? createWasmGcm(key, wasm) : createNodeGcm(key)
}

/** Node's own cipher, with a new context for each text. */
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

/** The key stream from Node's AES, the rest in WebAssembly. @see NIST SP 800-38D */
export function createWasmGcm(key: Uint8Array, wasm: GcmWasm): Gcm {
  const { memory } = wasm
  // One for each direction, because nonces count up in both.
  const toEncrypt = createKeyStream(key)
  const toDecrypt = createKeyStream(key)
  const aes = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  const tables = hashTables(aes.update(new Uint8Array(BLOCK)))

  return {
    encrypt(nonce, plain, into, at) {
      const { length } = plain
      const end = begin(toEncrypt, nonce, plain)
      if (end > 0) wasm.addKeyStream(end)
      into.set(memory.subarray(layout.text, layout.text + length), at)
      finishHash(length, end)
      for (let i = 0; i < TAG_SIZE; i += 1) into[at + length + i] = tagByte(i)
    },
    decrypt(nonce, ciphertext, tag, into) {
      const { length } = ciphertext
      if (length > MAX_TEXT) return false
      const end = begin(toDecrypt, nonce, ciphertext)
      finishHash(length, end)
      let difference = 0
      for (let i = 0; i < TAG_SIZE; i += 1) difference |= tagByte(i) ^ (tag[i] ?? 0)
      if (difference !== 0) return false
      if (end > 0) wasm.addKeyStream(end)
      into.set(memory.subarray(layout.text, layout.text + length))
      return true
    },
  }

  /**
   * Writes text and key stream to the module's memory. @returns the text's size in bytes, rounded up to whole blocks
   */
  function begin(keyStream: KeyStream, nonce: Uint8Array, text: Uint8Array): number {
    const end = Math.ceil(text.length / BLOCK) * BLOCK
    memory.set(text, layout.text)
    memory.set(keyStream.under(nonce, end / BLOCK + 1), layout.keyStream)
    return end
  }

  /** Hashes the text, padded with zeros to whole blocks, and the block of lengths. */
  function finishHash(length: number, end: number): void {
    if (loadedTables !== tables) {
      memory.set(tables, layout.tables)
      loadedTables = tables
    }
    memory.fill(0, layout.hash, layout.text)
    memory.fill(0, layout.text + length, layout.text + end + BLOCK)
    const bits = length * 8
    for (let i = 0; i < 4; i += 1) memory[layout.text + end + BLOCK - 1 - i] = bits >>> (8 * i)
    wasm.hash(end + BLOCK)
  }

  function tagByte(at: number): number {
    return (memory[layout.hash + at] ?? 0) ^ (memory[layout.keyStream + at] ?? 0)
  }
}

/** The tables in the module's memory at present: all keys of the process share one instance. */
let loadedTables: Uint8Array | undefined

/**
 * The products of the hash key with every block in which a single nibble is not zero, in the order of
 * `layout.tables`: the product of each bit is added to those 8 of its nibble's 16 values that contain it.
 */
function hashTables(hashKey: Uint8Array): Uint8Array {
  const tables = new Uint8Array(layout.tablesSize)
  const product = Uint8Array.from(hashKey)
  for (let bit = 0; bit < 128; bit += 1) {
    // Bits count from the highest of each byte; of its two nibbles, the lower one comes first.
    const place = (bit >> 3) * 2 + ((bit & 4) === 0 ? 1 : 0)
    const weight = 8 >> (bit & 3)
    for (let value = 0; value < 16; value += 1) {
      if ((value & weight) !== 0) addBlock(tables, (place * 16 + value) * BLOCK, product)
    }
    timesX(product)
  }
  return tables
}

/** Addition in the field is XOR. */
function addBlock(bytes: Uint8Array, at: number, block: Uint8Array): void {
  for (let i = 0; i < BLOCK; i += 1) bytes[at + i] = (bytes[at + i] ?? 0) ^ (block[i] ?? 0)
}

/** Multiplies by x in the field of 2^128 elements, whose bit order is the reverse of a number's. */
function timesX(element: Uint8Array): void {
  let carry = 0
  for (let i = 0; i < BLOCK; i += 1) {
    const byte = element[i] ?? 0
    element[i] = (byte >> 1) | (carry << 7)
    carry = byte & 1
  }
  if (carry === 1) element[0] = (element[0] ?? 0) ^ 0xe1
}
