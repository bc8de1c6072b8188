import { createDecipheriv, createHash } from 'node:crypto'
import { networkKey } from '#internal/easytier/crypto/networkIdentity'
import { createPacketCipher, openCompressed } from '#internal/easytier/crypto/packetCipher'
import { decodePacket, packetFlags, packetTypes, SEAL_SIZE } from '#internal/easytier/wire/packet'
import { everyPacket, hexOf, unhex } from '#support/network/easytierVectors'
import { zstdReady } from '#support/network/zstdReady'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'

const test = suite('easytier: sealed packets', { setUp: shortPacket })
const packets = everyPacket()
const sealed = packets.filter(({ packet }) => packet.sealed)

test.before(zstdReady)

/** A short recorded packet, and what seals and opens in its network. */
function shortPacket() {
  const vector = sealed.find(({ packet }) => !packet.compressed && packet.bytes.length < 300)
  assert.ok(vector)
  return { seal: createPacketCipher(networkKey(vector.secret), noise), bytes: unhex(vector.packet.bytes) }
}

test('every recorded packet opens to what it held', () => {
  assert.ok(sealed.length > 300, `${sealed.length} sealed`)
  assert.ok(packets.filter(({ packet }) => packet.compressed).length > 30, 'compressed')
  for (const { at, secret, packet } of packets) {
    const decoded = decodePacket(unhex(packet.bytes))
    const seal = createPacketCipher(networkKey(secret), noise)
    const plain = decoded && seal.open(decoded)
    const expected = packet.compressed?.plaintext ?? packet.sealed?.plaintext ?? packet.bytes.slice(32)
    assert.is(plain && hexOf(plain), expected, at)
    assert.is(plain?.length, packet.header.len, at)
  }
})

test('what is sealed lies as ciphertext, tag and nonce behind the plain header', () => {
  const key = networkKey('secret')
  const packet = createPacketCipher(key, noise).seal({ from: 1, to: 2, type: 1 }, noise(50))
  const decipher = createDecipheriv('aes-128-gcm', key, packet.subarray(-12))
  decipher.setAuthTag(packet.subarray(-28, -12))
  const plain = Buffer.concat([decipher.update(packet.subarray(16, -28)), decipher.final()])
  assert.is(hexOf(plain), hexOf(noise(50)))
  assert.is(hexOf(packet.subarray(0, 16)), '01000000020000000101010032000000')
  assert.is(hexOf(packet.subarray(-12)), `${hexOf(noise(8))}00000000`)
})

test('a packet that is cut anywhere does not open', ({ seal, bytes }) => {
  for (let length = 16; length < bytes.length; length++) {
    const packet = decodePacket(bytes.subarray(0, length))
    assert.is(packet && seal.open(packet), undefined, `${length} bytes`)
  }
})

test('another key does not open', () => {
  const mine = createPacketCipher(networkKey('mine'), noise)
  const other = createPacketCipher(networkKey('other'), noise)
  const packet = decodePacket(mine.seal({ from: 1, to: 2, type: packetTypes.data }, noise(100)))
  assert.is(packet && other.open(packet), undefined)
})

test('payloads of every size up to a full packet come back, with flags and length as they were', () => {
  const seal = createPacketCipher(networkKey('secret'), noise)
  for (let size = 0; size < 1300; size += size < 40 ? 1 : 61) {
    const bytes = seal.seal({ from: 1, to: 2, type: 11, flags: packetFlags.noProxy }, noise(size))
    const packet = decodePacket(bytes)
    assert.ok(packet)
    assert.equal([bytes.length, packet.plainLength], [16 + size + SEAL_SIZE, size])
    assert.is(packet.flags, packetFlags.noProxy | packetFlags.encrypted)
    assert.is(hexOf(seal.open(packet) ?? new Uint8Array(0)), hexOf(noise(size)))
  }
})

test('no nonce comes twice, and the random part is drawn once', () => {
  let draws = 0
  const seal = createPacketCipher(networkKey('secret'), (size) => {
    draws++
    return createHash('sha256').update(String(draws)).digest().subarray(0, size)
  })
  const nonces = new Set<string>()
  for (let i = 0; i < 1000; i++)
    nonces.add(hexOf(seal.seal({ from: 1, to: 2, type: 1 }, noise(3)).slice(-12)))
  assert.equal([nonces.size, draws], [1000, 1])
})

test('a payload with another marker, another length or no frame does not open', () => {
  const [frame] = packets.flatMap(({ packet }) => packet.compressed ?? [])
  assert.ok(frame)
  const size = frame.plaintext.length / 2
  const bytes = frame.zstd_frame
  assert.ok(openCompressed(unhex(`${bytes}01`), size))
  assert.is(openCompressed(unhex(`${bytes}02`), size), undefined)
  assert.is(openCompressed(unhex(bytes), size), undefined)
  for (const wrong of [size - 1, size + 1, 0xffffffff])
    assert.is(openCompressed(unhex(`${bytes}01`), wrong), undefined)
  assert.is(openCompressed(new Uint8Array(0), 0), undefined)
  assert.is(openCompressed(Uint8Array.of(1), 0), undefined)
})

test.run()
