import type { ByteStream } from '#core/byteStream'
import { createKnownHost } from '#core/room/network/search/knownHost'
import { createSecureGuest } from '#core/room/network/secure/secureGuest'
import type { SecureHandshake } from '#core/room/ports'
import type { GuestConnection } from '#core/room/roomNetwork'
import { createFakeClock, settle } from '#support/network/fakeClock'
import { streamPair } from '#support/network/streamPair'
import { failureText } from '#support/room/failureOf'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: a guest of a private room', { setUp })

const ROOM_PORT = 13_448

const CHANGED =
  'host-changed: Another host answers with this room code than before, or than the invitation says.'

test('a host without a key, or without encryption, is told from one that does not answer', async () => {
  for (const [answer, failure] of [
    ['no-key', 'not-encrypted'],
    ['not-tls', 'not-encrypted'],
    ['closed', 'host-unreachable'],
  ] as const) {
    const { guest, host } = setUp()
    host.answer = answer
    assert.match(await failureText(guest.dial(ROOM_PORT)), new RegExp(`^${failure}: `))
  }
})

test('whoever does not encrypt where the host’s key is known is another host', async () => {
  for (const answer of ['no-key', 'not-tls'] as const) {
    const { guest, host } = setUp(new Uint8Array(32).fill(1))
    host.answer = answer
    assert.is(await failureText(guest.dial(ROOM_PORT)), CHANGED)
  }
})

test('a handshake without an answer ends after 10 s, and the stream with it', async () => {
  const { clock, guest, host, opened } = setUp()
  host.answer = 'never'
  const failing = failureText(guest.dial(ROOM_PORT))
  await clock.advance(9999)
  assert.is(await Promise.race([failing, settle()]), undefined)
  await clock.advance(1)
  assert.match(await failing, /^host-unreachable/)
  await opened[0]?.closed
})

type Answer = 'key' | 'no-key' | 'not-tls' | 'closed' | 'never'

function setUp(hostKey?: Uint8Array) {
  const proved: Uint8Array[] = []
  const known = createKnownHost(hostKey, (key) => void proved.push(key))
  const clock = createFakeClock()
  const dials: number[] = []
  const stopping = new AbortController()
  const host = { id: '7', key: 1, answer: 'key' as Answer }
  /** The ends of the guest, and those of the host. */
  const opened: ByteStream[] = []
  const hosts: ByteStream[] = []
  const inner = {
    hostKey: known.key,
    checkHost(key: Uint8Array | undefined) {
      const isHost = known.accepts(key)
      if (isHost) known.note(key)
      return isHost
    },
    get host() {
      return { member: { id: host.id }, roomPort: ROOM_PORT, isOurs: true }
    },
    async dial(port: number) {
      dials.push(port)
      const [near, far] = streamPair()
      opened.push(near)
      hosts.push(far)
      return near
    },
  }
  const connect = async (stream: ByteStream, signal: AbortSignal): Promise<SecureHandshake> => {
    if (host.answer === 'never') await new Promise((resolve) => signal.addEventListener('abort', resolve))
    if (host.answer === 'key' || host.answer === 'no-key') {
      const peerKey = host.answer === 'key' ? new Uint8Array(32).fill(host.key) : undefined
      return { kind: 'secure', secure: { stream, peerKey, exportKey: (_, size) => new Uint8Array(size) } }
    }
    stream.destroy()
    return { kind: host.answer === 'not-tls' ? 'not-tls' : 'closed', cause: undefined }
  }
  const guest = createSecureGuest(inner as unknown as GuestConnection, {
    secureStreams: { connect, createAcceptor: () => assert.unreachable() as never },
    clock,
    signal: stopping.signal,
  })
  return {
    proved,
    clock,
    host,
    dials,
    opened,
    hosts,
    guest,
    stop: () => stopping.abort(new Error('left')),
  }
}

test.run()
