import type { ByteStream } from '@lantern-room/base/bytes'
import type { Exposure } from '#internal/room/network/hostConnection'
import { createSecureExposure } from '#internal/room/network/secure/secureExposure'
import type { SecureHandshake } from '#internal/room/ports'
import { createFakeClock, settle } from '#support/network/fakeClock'
import { streamPair } from '#support/network/streamPair'
import { testCredentials } from '#support/room/testCredentials'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('room: what a private room exposes', { setUp })

const ROOM_PORT = 13_448
const GUEST = 7

test('a handshake may take 10 s, and the port 60 s', async ({ clock, open, handshake, passed }) => {
  handshake.isAnswered = false
  const [slow, silent] = [open(), open()]
  await clock.advance(10_000)
  await Promise.all([slow.closed, silent.closed])
  handshake.isAnswered = true
  const late = open()
  await clock.advance(59_999)
  assert.is(await Promise.race([late.closed.then(() => 'closed'), settle()]), undefined)
  await clock.advance(1)
  await late.read().catch(() => undefined)
  await late.closed
  assert.equal([passed, clock.timers], [[], 0])
})

test('a member may have 64 streams that name no port, and another member is not concerned', async () => {
  const { exposure, open } = setUp()
  const guests = Array.from({ length: 64 }, () => open())
  assert.not(exposure.acceptsTcp(ROOM_PORT, GUEST))
  assert.ok(exposure.acceptsTcp(ROOM_PORT, GUEST + 1))
  await guests[0]?.write(Uint8Array.of(0x63, 0xdd))
  await settle()
  assert.ok(exposure.acceptsTcp(ROOM_PORT, GUEST))
  for (const guest of guests) guest.destroy()
  await settle()
})

function setUp() {
  const clock = createFakeClock()
  const handshake = { isAnswered: true }
  const passed: ByteStream[] = []
  const inner: Exposure = {
    acceptsTcp: (port) => [ROOM_PORT, 25_565].includes(port),
    acceptsUdp: () => false,
    onStream: (stream) => void passed.push(stream),
    onFlow: () => {},
    replace: () => {},
  }
  const accept = async (stream: ByteStream, signal: AbortSignal): Promise<SecureHandshake> => {
    if (!handshake.isAnswered) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      stream.destroy()
      return { kind: 'not-tls', cause: undefined }
    }
    return {
      kind: 'secure',
      secure: { stream, peerKey: undefined, exportKey: (_, size) => new Uint8Array(size) },
    }
  }
  const exposure = createSecureExposure(inner, {
    room: { roomPort: ROOM_PORT, credentials: testCredentials(), signal: new AbortController().signal },
    secureStreams: { connect: () => assert.unreachable() as never, createAcceptor: () => accept },
    clock,
    log: silentLog(),
  })
  const open = () => {
    const [near, far] = streamPair()
    exposure.onStream(far, { port: ROOM_PORT, peerId: GUEST })
    return near
  }
  return { clock, handshake, passed, exposure, open }
}

test.run()
