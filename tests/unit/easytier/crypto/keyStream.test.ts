import { createCipheriv } from 'node:crypto'
import { createKeyStream, type KeyStream } from '#core/easytier/crypto/keyStream'
import { hexOf } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'

const test = suite('easytier: key streams of AES-128-GCM')

const KEY = noise(16)

function nonceOf(count: number, run = 0): Uint8Array {
  const nonce = noise(12)
  nonce[7] = run
  new DataView(nonce.buffer).setUint32(8, count)
  return nonce
}

/** Each counter encrypted by itself. */
function expected(nonce: Uint8Array, blocks: number): string {
  const counters = new Uint8Array(blocks * 16)
  for (let block = 0; block < blocks; block++) {
    counters.set(nonce, block * 16)
    new DataView(counters.buffer).setUint32(block * 16 + 12, block + 1)
  }
  const aes = createCipheriv('aes-128-ecb', KEY, null).setAutoPadding(false)
  return hexOf(new Uint8Array(aes.update(counters)))
}

function matches(stream: KeyStream, nonce: Uint8Array, blocks: number): void {
  assert.is(hexOf(stream.under(nonce, blocks)), expected(nonce, blocks), `${hexOf(nonce)}, ${blocks} blocks`)
}

test("the first blocks of NIST's cases 1 and 2", () => {
  const stream = createKeyStream(new Uint8Array(16))
  assert.is(
    hexOf(stream.under(new Uint8Array(12), 2)),
    '58e2fccefa7e3061367f1d57a4e7455a0388dace60b6a392f328c2b971b2fe78',
  )
})

test('any number of blocks, also beyond the 80 of a packet, alone and between others that count up', () => {
  for (const blocks of [1, 2, 79, 80, 81, 160, 4096]) {
    matches(createKeyStream(KEY), nonceOf(9), blocks)
    const stream = createKeyStream(KEY)
    for (const [count, number] of [2, blocks, 80, blocks, 1].entries())
      matches(stream, nonceOf(count), number)
  }
})

test('nonces that count up, beyond the 16 of one call and past the last count', () => {
  for (const first of [0, 0xffffffff - 20]) {
    const stream = createKeyStream(KEY)
    for (let more = 0; more < 50; more++) matches(stream, nonceOf((first + more) >>> 0), 1 + more)
  }
})

test('nonces that come again, go back, jump or begin another run', () => {
  const stream = createKeyStream(KEY)
  for (const count of [5, 6, 7, 7, 6, 5, 4, 21, 22, 23, 6, 39, 1000, 1001]) matches(stream, nonceOf(count), 3)
  matches(stream, nonceOf(1002, 1), 3)
  matches(stream, nonceOf(1003, 1), 3)
  matches(stream, nonceOf(1004), 3)
})

test('packets of several senders in turns, of any number of blocks', () => {
  const stream = createKeyStream(KEY)
  for (const [turn, blocks] of [80, 2, 3, 80, 1, 40, 79, 81, 5, 80].entries())
    for (const sender of [1, 2, 3]) matches(stream, nonceOf(turn * 7, sender), blocks + sender - 1)
})

test('two keys do not disturb each other', () => {
  const other = createKeyStream(new Uint8Array(16))
  const stream = createKeyStream(KEY)
  for (let count = 0; count < 20; count++) {
    other.under(nonceOf(count), 80)
    matches(stream, nonceOf(count), 80)
  }
})

test.run()
