import fc from 'fast-check'
import { createNodeGcm, createWasmGcm, type Gcm, TAG_SIZE } from '#internal/easytier/crypto/gcm'
import { gcmWasm, MAX_TEXT } from '#internal/easytier/crypto/gcmWasm'
import { hexOf, unhex } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { noise, withBitChanged } from '#support/values/bytes'

const test = suite('easytier: AES-128-GCM', { timeoutMs: 60_000 })

/** WebAssembly with SIMD is available wherever these tests run. */
function fast(key: Uint8Array): Gcm {
  const wasm = gcmWasm()
  assert.ok(wasm)
  return createWasmGcm(key, wasm)
}

function encrypted(gcm: Gcm, nonce: Uint8Array, plain: Uint8Array): Uint8Array {
  const into = new Uint8Array(plain.length + TAG_SIZE)
  gcm.encrypt(nonce, plain, into, 0)
  return into
}

function opened(gcm: Gcm, nonce: Uint8Array, sealed: Uint8Array): string | undefined {
  const size = sealed.length - TAG_SIZE
  const into = new Uint8Array(size).fill(0xee)
  if (gcm.decrypt(nonce, sealed.subarray(0, size), sealed.subarray(size), into)) return hexOf(into)
  const isUntouched = into.every((byte) => byte === 0xee)
  assert.ok(isUntouched, 'nothing is written')
  return undefined
}

/** NIST's test cases 1 to 3 of the proposal of GCM. */
const CASES = [
  ['00'.repeat(16), '00'.repeat(12), '', '58e2fccefa7e3061367f1d57a4e7455a'],
  [
    ...['00'.repeat(16), '00'.repeat(12), '00'.repeat(16)],
    '0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf',
  ],
  [
    ...['feffe9928665731c6d6a8f9467308308', 'cafebabefacedbaddecaf888'],
    'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255',
    '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f59854d5c2af327cd64a62cf35abd2ba6fab4',
  ],
] as const

test("both ways give what NIST's own cases say", () => {
  for (const make of [fast, createNodeGcm])
    for (const [key, nonce, plain, sealed] of CASES) {
      const gcm = make(unhex(key))
      assert.is(hexOf(encrypted(gcm, unhex(nonce), unhex(plain))), sealed)
      assert.is(opened(gcm, unhex(nonce), unhex(sealed)), plain)
    }
})

test('every size gives the same bytes in WebAssembly and by Node, also the longest', () => {
  const key = noise(16)
  const [ours, nodes] = [fast(key), createNodeGcm(key)]
  for (const size of [...new Array(300).keys(), 1175, 1279, 1280, 1281, 2000, MAX_TEXT]) {
    const plain = noise(size)
    const sealed = encrypted(ours, noise(12), plain)
    assert.is(hexOf(sealed), hexOf(encrypted(nodes, noise(12), plain)), `${size} bytes`)
    assert.is(opened(ours, noise(12), sealed), hexOf(plain), `${size} bytes`)
  }
  assert.is(opened(ours, noise(12), new Uint8Array(MAX_TEXT + 1 + TAG_SIZE)), undefined, 'beyond the longest')
})

test('nonces may follow each other, jump, go back and begin anew: each text gets its own key stream', () => {
  const step = fc.record({
    count: fc.oneof(fc.constant(1), fc.constant(1), fc.constant(1), fc.integer({ min: -40, max: 40 })),
    isNewRun: fc.boolean(),
    size: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1200, max: 1300 })),
    key: fc.integer({ min: 0, max: 1 }),
  })
  const start = fc.constantFrom(0, 5, 0xffffffff - 3)
  assertProperty(
    fc.property(start, fc.array(step, { minLength: 20, maxLength: 60 }), (first, steps) => {
      const pairs = [noise(16), noise(17).subarray(1)].map((key) => [fast(key), createNodeGcm(key)] as const)
      const nonce = noise(12)
      let count = first
      for (const [at, { count: more, isNewRun, size, key }] of steps.entries()) {
        count = (count + more) >>> 0
        if (isNewRun && at % 10 === 0) nonce[3] = at
        new DataView(nonce.buffer).setUint32(8, count)
        const pair = pairs[key]
        assert.ok(pair)
        const [ours, nodes] = pair
        const plain = noise(size)
        const sealed = encrypted(ours, nonce, plain)
        assert.is(hexOf(sealed), hexOf(encrypted(nodes, nonce, plain)))
        assert.is(opened(ours, nonce, sealed), hexOf(plain))
      }
    }),
    { numRuns: 40 },
  )
})

test('a changed bit anywhere, also in the tag or the nonce, is seen', () => {
  const gcm = fast(noise(16))
  const sealed = encrypted(gcm, noise(12), noise(37))
  for (let at = 0; at < sealed.length * 8; at += 1) {
    assert.is(opened(gcm, noise(12), withBitChanged(sealed, at)), undefined, `bit ${at}`)
  }
  for (let at = 0; at < 12; at += 1) {
    const nonce = withBitChanged(noise(12), at * 8)
    assert.is(opened(gcm, nonce, sealed), undefined, `byte ${at} of the nonce`)
  }
})

test.run()
