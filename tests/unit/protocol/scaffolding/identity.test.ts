import { generateRoomCode } from '#internal/protocol/roomCode'
import {
  createHostIdentity,
  NONCE_LENGTH,
  playerIdIn,
  verifyIdentity,
} from '#internal/protocol/scaffolding/identity'
import { assert, suite } from '#support/runner/suite'

const test = suite('identity of a host')

const SECRET = new Uint8Array(32).fill(7)
const NONCE = new Uint8Array(NONCE_LENGTH).fill(9)
const ROOM = generateRoomCode()

test('a proof holds for its nonce and its room alone', () => {
  const identity = createHostIdentity(SECRET, ROOM)
  const proof = identity.prove(NONCE) ?? new Uint8Array(0)
  assert.is(proof.length, 96)
  assert.equal(verifyIdentity(proof, NONCE, ROOM), identity.publicKey)
  assert.is(verifyIdentity(proof, new Uint8Array(NONCE_LENGTH), ROOM), undefined)
  assert.is(verifyIdentity(proof, NONCE, generateRoomCode()), undefined)
})

test('a proof with any byte changed, cut or added is refused', () => {
  const proof = createHostIdentity(SECRET, ROOM).prove(NONCE) ?? new Uint8Array(0)
  for (let at = 0; at < proof.length; at++) {
    const changed = proof.slice()
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.is(verifyIdentity(changed, NONCE, ROOM), undefined, `byte ${at}`)
  }
  for (const length of [0, 32, 95]) assert.is(verifyIdentity(proof.slice(0, length), NONCE, ROOM), undefined)
  assert.is(verifyIdentity(Uint8Array.of(...proof, 0), NONCE, ROOM), undefined)
})

test('the key is the same for the same secret and room, and another one for any other', () => {
  const keyOf = (secret: Uint8Array, room = ROOM) => createHostIdentity(secret, room).publicKey
  assert.equal(keyOf(SECRET.slice()), keyOf(SECRET))
  assert.not.equal(keyOf(new Uint8Array(32).fill(8)), keyOf(SECRET))
  assert.not.equal(keyOf(SECRET, generateRoomCode()), keyOf(SECRET))
})

test('a nonce of another length is not signed, and a short secret is refused', () => {
  const identity = createHostIdentity(SECRET, ROOM)
  for (const length of [0, 31, 33]) assert.is(identity.prove(new Uint8Array(length)), undefined)
  assert.throws(() => createHostIdentity(new Uint8Array(31), ROOM), /at least 32 bytes/)
})

test('it is the same in one room, another one in each, and tells nothing of the lasting one', () => {
  const [one, other] = [generateRoomCode(), generateRoomCode()]
  const lasting = '0123456789abcdef0123456789abcdef'
  const id = playerIdIn(one, lasting)
  assert.match(id, /^[0-9a-f]{32}$/)
  assert.is(playerIdIn(one, lasting), id)
  assert.not.equal(playerIdIn(other, lasting), id)
  assert.not.equal(playerIdIn(one, lasting.replace('0', '1')), id)
  assert.not.ok(id.includes(lasting.slice(0, 6)))
})

test.run()
