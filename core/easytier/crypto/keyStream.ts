import { createCipheriv } from 'node:crypto'
import { viewOf } from '@lantern-room/base/bytes'
import { uint32At } from '../uint32'

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
  const single = createCounters(1, USUAL_BLOCKS)
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
      if (!isUsual) return aes.update(createCounters(1, blocks)(nonce))
      const at = (nextCount - first) * USUAL_BLOCKS * BLOCK
      if (at >= 0 && at < ahead.length) return ahead.subarray(at, at + blocks * BLOCK)
      if (!follows) return aes.update(single(nonce, blocks))
      first = nextCount
      many ??= createCounters(AHEAD, USUAL_BLOCKS)
      ahead = aes.update(many(nonce))
      return ahead.subarray(0, blocks * BLOCK)
    },
  }
}

const NOTHING = new Uint8Array(0)

/** The plain text of the key streams under some consecutive nonces: for each of them its blocks, counted from 1 on. */
function createCounters(nonces: number, blocks: number) {
  const bytes = new Uint8Array(nonces * blocks * BLOCK)
  const view = viewOf(bytes)
  for (let at = 0; at < nonces * blocks; at += 1) view.setUint32(at * BLOCK + 12, (at % blocks) + 1)
  const words = new Uint32Array(bytes.buffer)
  const nonceWords = new Uint32Array(3)
  const nonceBytes = new Uint8Array(nonceWords.buffer)
  const nonceView = viewOf(nonceBytes)

  /** @param wanted blocks under each nonce: packets of many senders come in turns, most of them of a few blocks */
  return (nonce: Uint8Array, wanted = blocks): Uint8Array => {
    nonceBytes.set(nonce)
    const start = nonceView.getUint32(8)
    const [one = 0, two = 0] = nonceWords
    for (let number = 0; number < nonces; number += 1) {
      nonceView.setUint32(8, start + number)
      const three = nonceWords[2] ?? 0
      const first = number * blocks * WORDS
      for (let at = first; at < first + wanted * WORDS; at += WORDS) {
        words[at] = one
        words[at + 1] = two
        words[at + 2] = three
      }
    }
    return bytes.subarray(0, ((nonces - 1) * blocks + wanted) * BLOCK)
  }
}
