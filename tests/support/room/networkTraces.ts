import type { NetworkIdentity } from '@lantern-room/easytier'

// What a program makes of a network's secret, written apart from the code that is tested. @see docs/network/protocol.md, "Keys"

/** Shown in handshakes: four hashes, each of name and secret and of all digests before it. @returns 32 bytes */
export function secretDigest({ name, secret }: NetworkIdentity): Uint8Array {
  let hashed = Buffer.from(name + secret)
  let digest = Buffer.alloc(0)
  while (digest.length < 32) {
    digest = Buffer.concat([digest, sipHash13(hashed)])
    hashed = Buffer.concat([hashed, digest])
  }
  return digest
}

/** That of packets. @returns 16 bytes */
export function networkKey(secret: string): Uint8Array {
  const first = sipHash13(Buffer.from(secret))
  return Buffer.concat([first, sipHash13(Buffer.concat([Buffer.from(secret), first]))])
}

const START = ['somepseu', 'dorandom', 'lygenera', 'tedbytes']

/** SipHash-1-3 under the key of zeros. @see https://www.aumasson.jp/siphash/siphash.pdf */
function sipHash13(bytes: Buffer): Buffer {
  const state = BigUint64Array.from(START, (word) => Buffer.from(word).readBigUInt64BE())
  const at = (index: number) => state[index] ?? 0n
  const mix = (into: number, other: number, turn: bigint) => {
    state[into] = at(into) + at(other)
    state[other] = turned(at(other), turn) ^ at(into)
  }
  const round = () => {
    mix(0, 1, 13n)
    mix(2, 3, 16n)
    state[0] = turned(at(0), 32n)
    mix(0, 3, 21n)
    mix(2, 1, 17n)
    state[2] = turned(at(2), 32n)
  }
  const words = Buffer.concat([bytes, Buffer.alloc(8 - (bytes.length % 8))])
  words.writeUInt8(bytes.length % 256, words.length - 1)
  for (let offset = 0; offset < words.length; offset += 8) {
    const word = words.readBigUInt64LE(offset)
    state[3] = at(3) ^ word
    round()
    state[0] = at(0) ^ word
  }
  state[2] = at(2) ^ 0xffn
  for (let times = 0; times < 3; times += 1) round()
  const hash = Buffer.alloc(8)
  hash.writeBigUInt64BE(state.reduce((all, word) => all ^ word, 0n))
  return hash
}

function turned(word: bigint, bits: bigint): bigint {
  return BigInt.asUintN(64, (word << bits) | (word >> (64n - bits)))
}
