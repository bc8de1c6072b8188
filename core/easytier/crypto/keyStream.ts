import { createCipheriv } from 'node:crypto'
import { uint32At, viewOf } from '#core/bytes'

export type KeyStream = ReturnType<typeof createKeyStream>

const BLOCK = 16
const WORDS = BLOCK / 4
/** Blocks of a packet; longer texts are rare. */
const USUAL_BLOCKS = 80
/** Consecutive nonces whose key streams are made by one call. */
const AHEAD = 16

/**
 * The key stream of AES in GCM: block 0 is for the tag, those from 1 on for the text.
 * One AES context for all texts: in GCM it only encrypts counters. The call costs more than the encryption, so where
 * nonces count up, as ours do, the streams of the next few are made in one call.
 * @param key 16 bytes
 */
export function createKeyStream(key: Uint8Array) {
  const aes = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  const single = createStart(USUAL_BLOCKS)
  /** Allocated when first needed: many keys never have consecutive nonces. */
  let many: ReturnType<typeof createCounters> | undefined
  let ahead: Uint8Array = new Uint8Array(0)
  /** The count of the first nonce whose key stream is in `ahead`. */
  let first = 0
  /** The last nonce: its random part as two words, and its count. */
  let one = -1
  let two = -1
  let count = -1

  return {
    /** The blocks under a nonce of 12 bytes, as a view that is valid until the next call. */
    under(nonce: Uint8Array, blocks: number): Uint8Array {
      const isUsual = blocks <= USUAL_BLOCKS
      const [nextOne, nextTwo] = [uint32At(nonce, 0), uint32At(nonce, 4)]
      const nextCount = viewOf(nonce).getUint32(8)
      const isSameRun = nextOne === one && nextTwo === two
      const follows = isSameRun && nextCount === count + 1
      if (!isSameRun) ahead = NOTHING
      one = nextOne
      two = nextTwo
      count = nextCount
      if (!isUsual) return aes.update(createStart(blocks).under(nonce, blocks))
      const at = (nextCount - first) * USUAL_BLOCKS * BLOCK
      if (at >= 0 && at < ahead.length) return ahead.subarray(at, at + blocks * BLOCK)
      if (!follows) return aes.update(single.under(nonce, blocks))
      first = nextCount
      many ??= createCounters(AHEAD, USUAL_BLOCKS)
      ahead = aes.update(many.under(nonce, AHEAD))
      return ahead.subarray(0, blocks * BLOCK)
    },
  }
}

const NOTHING = new Uint8Array(0)

/**
 * The plain text of the key stream under one nonce. Packets of many senders come in turns, most of them of a few blocks: only as
 * many are written as are wanted.
 */
function createStart(blocks: number) {
  const bytes = countedBlocks(1, blocks)
  const words = new Uint32Array(bytes.buffer)
  const nonceWords = new Uint32Array(3)
  const nonceBytes = new Uint8Array(nonceWords.buffer)

  return {
    under(nonce: Uint8Array, wanted: number): Uint8Array {
      nonceBytes.set(nonce)
      const [one = 0, two = 0, three = 0] = nonceWords
      for (let at = 0; at < wanted * WORDS; at += WORDS) {
        words[at] = one
        words[at + 1] = two
        words[at + 2] = three
      }
      return bytes.subarray(0, wanted * BLOCK)
    },
  }
}

/** For each of some consecutive nonces its blocks, counted from 1 on. The nonces themselves are still zero. */
function countedBlocks(nonces: number, blocks: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(nonces * blocks * BLOCK)
  const view = viewOf(bytes)
  for (let at = 0; at < nonces * blocks; at += 1) view.setUint32(at * BLOCK + 12, (at % blocks) + 1)
  return bytes
}

/** The plain text of the key streams under some consecutive nonces. */
function createCounters(nonces: number, blocks: number) {
  const bytes = countedBlocks(nonces, blocks)
  const words = new Uint32Array(bytes.buffer)
  const nonceWords = new Uint32Array(3)
  const nonceBytes = new Uint8Array(nonceWords.buffer)
  const nonceView = viewOf(nonceBytes)

  const setRandomPart = (one: number, two: number) => {
    for (let at = 0; at < words.length; at += WORDS) {
      words[at] = one
      words[at + 1] = two
    }
  }

  return {
    under(nonce: Uint8Array, wanted: number): Uint8Array {
      nonceBytes.set(nonce)
      const start = nonceView.getUint32(8)
      const [one = 0, two = 0] = nonceWords
      // The random part rarely changes.
      if (words[0] !== one || words[1] !== two) setRandomPart(one, two)
      for (let number = 0; number < wanted; number += 1) {
        nonceView.setUint32(8, start + number)
        const three = nonceWords[2] ?? 0
        const end = (number + 1) * blocks * WORDS
        for (let at = number * blocks * WORDS; at < end; at += WORDS) words[at + 2] = three
      }
      return bytes
    },
  }
}
