import type { ByteStream } from '@lantern-room/base/bytes'
import { createSecureGuest } from '#internal/room/network/secure/secureGuest'
import type { SecureHandshake } from '#internal/room/ports'
import { createFakeClock, settle } from '#support/network/fakeClock'
import { streamPair } from '#support/network/streamPair'
import { failureText } from '#support/room/failureOf'
import { guestConnection } from '#support/room/guestConnection'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: a guest of a private room')

const ROOM_PORT = 13_448

const CHANGED =
  'host-changed: Another host answers with this room code than before, or than the invitation says.'

test('a host without a key, or without encryption, is told from one that does not answer', async () => {
  for (const [answer, failure] of [
    ['no-key', 'not-encrypted'],
    ['not-tls', 'not-encrypted'],
    ['closed', 'host-unreachable'],
  ] as const) {
    const { guest } = setUp(answer)
    assert.match(await failureText(guest.dial(ROOM_PORT)), new RegExp(`^${failure}: `))
  }
})

test('whoever does not encrypt where the host’s key is known is another host', async () => {
  for (const answer of ['no-key', 'not-tls'] as const) {
    const { guest } = setUp(answer, new Uint8Array(32).fill(1))
    assert.is(await failureText(guest.dial(ROOM_PORT)), CHANGED)
  }
})

test('a handshake without an answer ends after 10 s, and the stream with it', async () => {
  const { clock, guest, opened } = setUp('never')
  const failing = failureText(guest.dial(ROOM_PORT))
  await clock.advance(9999)
  assert.is(await Promise.race([failing, settle()]), undefined)
  await clock.advance(1)
  assert.match(await failing, /^host-unreachable/)
  await opened[0]?.closed
})

/** A guest of a host that answers its handshake so. */
function setUp(answer: 'no-key' | 'not-tls' | 'closed' | 'never', hostKey?: Uint8Array) {
  const clock = createFakeClock()
  const opened: ByteStream[] = []
  const connection = guestConnection({
    hostKey: () => hostKey,
    checkHost: () => false,
    async dial() {
      const [near] = streamPair()
      opened.push(near)
      return near
    },
  })
  const connect = async (stream: ByteStream, signal: AbortSignal): Promise<SecureHandshake> => {
    if (answer === 'never') await new Promise((resolve) => signal.addEventListener('abort', resolve))
    if (answer === 'no-key')
      return {
        kind: 'secure',
        secure: { stream, peerKey: undefined, exportKey: (_, size) => new Uint8Array(size) },
      }
    stream.destroy()
    return { kind: answer === 'not-tls' ? 'not-tls' : 'closed', cause: undefined }
  }
  const guest = createSecureGuest(connection, {
    secureStreams: { connect, createAcceptor: () => assert.unreachable() as never },
    clock,
    signal: new AbortController().signal,
  })
  return { clock, opened, guest }
}

test.run()
