import { secretDigest } from '#internal/easytier/crypto/networkIdentity'
import { memberHandshake } from '#internal/easytier/peer/handshake'
import type { ConnectionOrigin } from '#internal/easytier/peer/peerConnection'
import { HANDSHAKE_MAGIC, HANDSHAKE_VERSION, handshakeRequest } from '#internal/easytier/wire/messages'
import { assert, suite } from '#support/runner/suite'

const test = suite('the handshake of members')

const OWN = 1
const OTHER = 2
const THIRD = 3
const identity = { name: 'ours', secret: 'secret' }
const digest = secretDigest(identity)
const ZERO = new Uint8Array(32)
const digests = {
  right: digest,
  zero: ZERO,
  wrong: secretDigest({ name: 'ours', secret: 'another' }),
  short: digest.subarray(0, 31),
  none: new Uint8Array(0),
}
const origins: Readonly<Record<string, ConnectionOrigin>> = {
  acceptor: { transport: 'tcp', isDialler: false },
  dialler: { transport: 'tcp', isDialler: true },
  'dialler of a node': { transport: 'tcp', isDialler: true, url: 'tcp://192.0.2.1:1' },
}

/** origin, name, digests → answer, problem, isSharedNode; for a peer id that is right. */
const table = [
  ['acceptor', 'ours', ['right'], 'own-digest', undefined, false],
  ['acceptor', 'ours', ['zero', 'wrong'], 'zero-digest', 'wrong-secret', true],
  ['acceptor', 'ours', ['short', 'none'], 'none', 'refused', true],
  ['acceptor', 'theirs', ['right', 'zero', 'wrong'], 'zero-digest', 'other-network', true],
  ['acceptor', 'theirs', ['short', 'none'], 'none', 'refused', true],
  ['dialler', 'ours', ['right'], 'none', undefined, false],
  ['dialler', 'ours', ['zero'], 'none', 'wrong-secret', true],
  ['dialler', 'ours', ['wrong', 'short', 'none'], 'none', 'refused', true],
  ['dialler', 'theirs', ['right', 'zero', 'wrong', 'short', 'none'], 'none', 'other-network', true],
  ['dialler of a node', 'ours', ['right'], 'none', undefined, false],
  ['dialler of a node', 'ours', ['zero'], 'none', 'wrong-secret', true],
  ['dialler of a node', 'ours', ['wrong', 'short', 'none'], 'none', 'refused', true],
  ['dialler of a node', 'theirs', ['right', 'zero', 'wrong', 'short', 'none'], 'none', undefined, true],
] as const
const cases = table.flatMap(([from, name, shown, ...verdict]) =>
  shown.map((digest) => [from, name, digest, ...verdict] as const),
)

const ANSWERS = {
  none: undefined,
  'own-digest': helloOf(OWN, 'ours', digest),
  'zero-digest': helloOf(OWN, 'ours', ZERO),
}

/** Peer id and expected peer → the problem of a connection that is accepted otherwise. */
const peers = [
  [OTHER, undefined, undefined],
  [OTHER, OTHER, undefined],
  [OTHER, THIRD, 'unexpected-peer'],
  [OWN, undefined, 'own-self'],
  [OWN, OWN, 'own-self'],
  [0, undefined, 'own-self'],
  [0, OTHER, 'own-self'],
] as const

for (const [from, networkName, shown, answer, problem, isSharedNode] of cases) {
  const origin = origins[from]
  test(`${from}: ${networkName} network, ${shown} digest: ${problem ?? 'accepted'}`, () => {
    for (const [myPeerId, expectPeer, peerProblem] of peers) {
      const hello = helloOf(myPeerId, networkName, digests[shown])
      assert.ok(origin)
      const to = expectPeer === undefined ? origin : { ...origin, expectPeer }
      const verdict = memberHandshake(identity, OWN).verify(hello, to, [])
      const expected = { answer: ANSWERS[answer], problem: problem ?? peerProblem, isSharedNode }
      assert.equal({ ...verdict, answer: read(verdict.answer) }, expected, `${myPeerId} ${expectPeer}`)
    }
  })
}

test('a dialler begins with its digest', () => {
  assert.equal(read(memberHandshake(identity, OWN).hello()), ANSWERS['own-digest'])
})

function read(bytes: Uint8Array | undefined) {
  return bytes && handshakeRequest.decode(bytes)
}

function helloOf(myPeerId: number, networkName: string, networkSecretDigest: Uint8Array) {
  const bytes = handshakeRequest.encode({
    magic: HANDSHAKE_MAGIC,
    version: HANDSHAKE_VERSION,
    myPeerId,
    networkName,
    networkSecretDigest,
  })
  const hello = handshakeRequest.decode(bytes)
  if (!hello) throw new Error('a handshake that cannot be read')
  return hello
}

test.run()
