import { isZeroDigest, networkKey, secretDigest } from '#internal/easytier/crypto/networkIdentity'
import { sipHash13 } from '#internal/easytier/crypto/sipHash'
import { hexOf, readVectors, unhex } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: names, secrets and keys')

type Keys = {
  readonly siphash: readonly { readonly input: string; readonly hash_be: string }[]
  readonly pairs: readonly {
    readonly network_name: string
    readonly network_secret: string
    readonly digest: string
    readonly aes_key: string
  }[]
}
const { siphash, pairs } = readVectors<Keys>('keys')

test('SipHash-1-3 gives what the real hasher gave', () => {
  assert.is(siphash.length, 36)
  for (const { input, hash_be } of siphash) assert.is(hexOf(sipHash13(unhex(input))), hash_be, input)
})

test('the length byte of SipHash wraps after 255', () => {
  // The only difference of these two, by the last word, is what the length says: 0 and 256 have the same length byte.
  assert.is.not(hexOf(sipHash13(new Uint8Array(256))), hexOf(sipHash13(new Uint8Array(0))))
})

test('digest and key of eight networks are those that the real program took', () => {
  assert.is(pairs.length, 8)
  for (const { network_name: name, network_secret: secret, digest, aes_key } of pairs) {
    assert.is(hexOf(secretDigest({ name, secret })), digest, name)
    assert.is(hexOf(networkKey(secret)), aes_key, name)
  }
})

test('the example of the documentation holds', () => {
  assert.is(
    hexOf(secretDigest({ name: 'a', secret: 'b' })),
    '555508cbc6add43904c60a97dd9d32d0c463d4854a377a99517ef0c5a2346344',
  )
  assert.is(hexOf(networkKey('b')), '8b22cf2602fb60ce6236555ec45f9ea4')
})

test('only 32 zeros are the digest of strangers', () => {
  assert.ok(isZeroDigest(new Uint8Array(32)))
  assert.not(isZeroDigest(new Uint8Array(31)))
  assert.not(isZeroDigest(new Uint8Array(0)))
  assert.not(isZeroDigest(Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? 1 : 0))))
})

test.run()
