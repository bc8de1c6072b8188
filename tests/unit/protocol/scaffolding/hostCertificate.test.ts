import { execFileSync } from 'node:child_process'
import { createPrivateKey, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { createHostCertificate } from '#internal/protocol/scaffolding/hostCertificate'
import { testCredentials } from '#support/room/testCredentials'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: the certificate of a host')

test('carries the key, is signed by it, and never expires', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const read = new X509Certificate(createHostCertificate(privateKey))
  assert.ok(read.publicKey.equals(publicKey))
  assert.ok(read.verify(publicKey))
  assert.not(read.verify(generateKeyPairSync('ed25519').publicKey))
  assert.is(read.subject, 'CN=lantern-room host')
  assert.is(read.issuer, read.subject)
  assert.ok(new Date(read.validFrom).getTime() === 0 && new Date(read.validTo).getUTCFullYear() === 9999)
})

test('is the same each time, and names no room', () => {
  const { privateKey, certificate } = testCredentials()
  assert.equal(testCredentials(), { privateKey, certificate })
  const key = createPrivateKey(privateKey)
  assert.ok(new X509Certificate(certificate).publicKey.equals(createPublicKey(key)))
})

test('is read by openssl, too', () => {
  const { certificate } = testCredentials()
  let text: string
  try {
    text = execFileSync('openssl', ['x509', '-noout', '-text'], { input: certificate, encoding: 'utf8' })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw error
  }
  assert.match(text, /Version: 3 \(0x2\)/)
  assert.match(text, /Public Key Algorithm: ED25519/)
  assert.match(text, /Signature Algorithm: ED25519/)
  assert.match(text, /Not After : Dec 31 23:59:59 9999 GMT/)
})

test.run()
