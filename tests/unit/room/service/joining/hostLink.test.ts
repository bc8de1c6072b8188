import type { ByteStream } from '#core/byteStream'
import { createKnownHost } from '#core/room/network/search/knownHost'
import type { GuestConnection } from '#core/room/roomNetwork'
import { createHostIdentity } from '#core/room/scaffolding/identity'
import { FINGERPRINT } from '#core/room/scaffolding/wire/commands'
import {
  decodeRequest,
  encodeResponse,
  type RequestFrame,
  type ResponseFrame,
} from '#core/room/scaffolding/wire/frames'
import { HostLink } from '#core/room/service/joining/hostLink'
import { createFakeClock, settle } from '../../../../support/network/fakeClock'
import { streamPair } from '../../../../support/network/streamPair'
import { guestConnection } from '../../../../support/room/guestConnection'
import { roomOf } from '../../../../support/room/testRoomNetwork'
import { assert, suite } from '../../../../support/runner/suite'
import { STEVE } from '../../scaffolding/hosted'

const test = suite('the talk with the host')

const room = roomOf('U/YNZE-U61D-2206-HXRG')
const identity = createHostIdentity(new Uint8Array(32).fill(7), room)

/** A host that answers when the test says so. */
function openTalk(
  isOurs: boolean,
  ownHostKey: Uint8Array = new Uint8Array(32),
  known = createKnownHost(undefined),
  follow?: GuestConnection['follow'],
) {
  const clock = createFakeClock()
  const stop = new AbortController()
  let far: ByteStream | undefined
  const { host } = guestConnection()
  const connection = guestConnection({
    host: { ...host, isOurs },
    async dial() {
      const [near, other] = streamPair()
      far = other
      void collect(other)
      return near
    },
    hostKey: known.key,
    checkHost(key) {
      if (known.accepts(key)) known.note(key)
      return known.accepts(key)
    },
    ...(follow && { follow }),
  })
  const waiting: RequestFrame[] = []
  return {
    link: new HostLink({
      connection,
      room,
      player: STEVE,
      ownHostKey,
      guestProof: identity.guestProof,
      clock,
      signal: stop.signal,
    }),
    stop: () => stop.abort(new Error('the test is over')),
    /** What the host has heard and not answered: one flight. */
    async heard(): Promise<readonly string[]> {
      await settle()
      return waiting.map(({ kind }) => kind)
    },
    /** Answers all of it. */
    async answer(change: Readonly<Record<string, ResponseFrame>> = {}) {
      for (const request of waiting.splice(0)) {
        await far?.write(encodeResponse(change[request.kind] ?? rightAnswer(request)))
      }
    },
  }

  async function collect(stream: ByteStream): Promise<void> {
    try {
      for (let bytes = await stream.read(); bytes; bytes = await stream.read()) {
        const frame = decodeRequest(bytes)
        if (frame) waiting.push(frame.value)
      }
    } catch {
      // The guest has given the stream up.
    }
  }
}

function rightAnswer({ kind, body }: RequestFrame): ResponseFrame {
  const list = JSON.stringify([{ name: 'Alex', machine_id: 'a', vendor: '', kind: 'HOST' }])
  const answers: Readonly<Record<string, Uint8Array | undefined>> = {
    'c:ping': FINGERPRINT,
    'c:server_port': Uint8Array.of(0x63, 0xdd),
    'c:player_profiles_list': new TextEncoder().encode(list),
    'lantern:identity': identity.prove(body),
  }
  return { status: 0, data: answers[kind] ?? new Uint8Array(0) }
}

const GREETING = ['c:ping', 'c:player_ping', 'c:protocols', 'c:server_port']

test('any other host hears one request after the other, and none that it cannot know', async () => {
  const { link, heard, answer, stop } = openTalk(false)
  const port = link.connect()
  for (const kind of GREETING) {
    assert.equal(await heard(), [kind])
    await answer()
  }
  assert.is(await port, 25_565)
  const beat = link.beat()
  for (const kind of ['c:player_ping', 'c:player_profiles_list', 'c:server_port']) {
    assert.equal(await heard(), [kind])
    await answer()
  }
  await beat
  stop()
})

test.run()
