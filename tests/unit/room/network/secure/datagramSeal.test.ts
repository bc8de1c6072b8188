import { viewOf } from '@lantern-room/base/bytes'
import { createDatagramSeal } from '#internal/room/network/secure/datagramSeal'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: sealed datagrams', { setUp: pair })

const PORT = 24_454
const PLAIN = Uint8Array.of(1, 2, 3)

function pair(seed = 1) {
  const exportKey = (_label: string, size: number) =>
    Uint8Array.from({ length: size }, (_, at) => (at * seed) & 255)
  return {
    guest: createDatagramSeal({ exportKey }, 'guest'),
    host: createDatagramSeal({ exportKey }, 'host'),
  }
}

test('both directions are opened by the other side, of any size', ({ guest, host }) => {
  for (const size of [0, 1, 1200, 60_000]) {
    const plain = new Uint8Array(size).fill(7)
    assert.equal(host.open(PORT, guest.seal(PORT, plain)), plain)
    assert.equal(guest.open(PORT, host.seal(PORT, plain)), plain)
    assert.is(guest.seal(PORT, plain).length, size + 32)
  }
})

test('the same datagram is never sealed the same way twice, nor alike in both directions', () => {
  const { guest, host } = pair()
  const sealed = [guest, guest, host, host].map(({ seal }) => String(seal(PORT, PLAIN).subarray(16)))
  assert.is(new Set(sealed).size, 4)
})

test('what arrives again is not opened, what is late is', ({ guest, host }) => {
  const sealed = Array.from({ length: 1500 }, () => guest.seal(PORT, PLAIN))
  const isOpened = (at: number) => host.open(PORT, sealed[at] ?? new Uint8Array(0)) !== undefined
  assert.equal([0, 0, 2, 1, 2, 1499, 476, 475].map(isOpened), [
    true,
    false,
    true,
    true,
    false,
    true,
    true,
    false,
  ])
})

test('nothing that was changed is opened, for another port, or under other keys', ({ guest, host }) => {
  const sealed = guest.seal(PORT, PLAIN)
  for (let at = 8; at < sealed.length; at++) {
    const changed = sealed.slice()
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.is(host.open(PORT, changed), undefined, `byte ${at}`)
  }
  for (let length = 0; length < sealed.length; length++) {
    assert.is(host.open(PORT, sealed.slice(0, length)), undefined)
  }
  assert.is(host.open(PORT + 1, sealed), undefined)
  assert.is(pair(3).host.open(PORT, sealed), undefined)
  assert.is(guest.open(PORT, sealed), undefined, 'one’s own')
  assert.equal(host.open(PORT, sealed), PLAIN, 'the attempts have used nothing up')
})

test('the keys are known by an id', ({ guest, host }) => {
  assert.is(viewOf(guest.seal(PORT, PLAIN)).getBigUint64(0), host.id)
  assert.is(guest.id, host.id)
  assert.is.not(pair(3).host.id, host.id)
})

test.run()
