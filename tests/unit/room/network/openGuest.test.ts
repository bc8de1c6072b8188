import { createEmitter } from '#core/async/emitter'
import type { Answer } from '#core/room/network/hostProof'
import { createKnownHost } from '#core/room/network/knownHost'
import { createOpenGuest } from '#core/room/network/openGuest'
import type { NetworkEvent } from '#core/room/networkStatus'
import { settle } from '#support/network/fakeClock'
import { streamPair } from '#support/network/streamPair'
import { failureText } from '#support/room/failureOf'
import { guestConnection } from '#support/room/guestConnection'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: a guest of an open room', { setUp: () => setUp() })

const ROOM_PORT = 13_448
const [KEY, OTHER_KEY] = [1, 2].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array]
const CHANGED =
  'host-changed: Another host answers with this room code than before, or than the invitation says.'

test('no proof is asked for before a key is known, and none for the world', async ({
  guest,
  known,
  asked,
}) => {
  await guest.dial(ROOM_PORT)
  known.note(KEY)
  await guest.dial(25_565)
  assert.is(asked.length, 0)
  await guest.dial(ROOM_PORT)
  assert.is(asked.length, 1)
})

test('a stream is given only if its other end proves the key, and closed otherwise', async () => {
  for (const answer of [OTHER_KEY, undefined, 'other'] as const) {
    const { guest, known, asked, answerWith } = setUp()
    known.note(KEY)
    answerWith(answer)
    assert.is(await failureText(guest.dial(ROOM_PORT)), CHANGED)
    await asked[0]?.closed
    answerWith(KEY)
    await guest.dial(ROOM_PORT)
  }
})

test('the stream in which the host was found is used once, unless the host was lost meanwhile', async () => {
  const [first] = streamPair()
  const { guest, asked } = setUp(first)
  assert.is(await guest.dial(ROOM_PORT), first)
  assert.is.not(await guest.dial(ROOM_PORT), first)
  assert.is(asked.length, 0)

  const [other] = streamPair()
  const lost = setUp(other)
  lost.events.emit({ kind: 'lost' })
  await other.closed
  await settle()
  assert.is.not(await lost.guest.dial(ROOM_PORT), other)
})

function setUp(first?: ReturnType<typeof streamPair>[0]) {
  const known = createKnownHost(undefined)
  const events = createEmitter<NetworkEvent>()
  const asked: ReturnType<typeof streamPair>[0][] = []
  let answer: Uint8Array | undefined | 'other' = KEY
  const guest = createOpenGuest(
    guestConnection({
      onEvent: events.subscribe,
      hostKey: known.key,
      checkHost: known.accepts,
      dial: async () => streamPair()[0],
    }),
    {
      proof: {
        async prove(stream): Promise<Answer> {
          asked.push(stream)
          if (answer === 'other') return { kind: 'other' }
          return { kind: 'host', key: answer, stream, secure: undefined }
        },
      },
      first,
      signal: new AbortController().signal,
    },
  )
  return {
    guest,
    known,
    events,
    asked,
    answerWith(next: typeof answer) {
      answer = next
    },
  }
}

test.run()
