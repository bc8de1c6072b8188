import type { ByteStream } from '@lantern-room/base/bytes'
import { createScaffoldingClient, handshake } from '#internal/protocol/scaffolding/client'
import { FINGERPRINT } from '#internal/protocol/scaffolding/wire/commands'
import { FRAME_TIMEOUT_MS } from '#internal/protocol/scaffolding/wire/exchange'
import { createFrameReader, decodeRequest, encodeResponse } from '#internal/protocol/scaffolding/wire/frames'
import { createFakeClock, settle } from '#support/network/fakeClock'
import { streamPair } from '#support/network/streamPair'
import { failureText } from '#support/room/failureOf'
import { assert, suite } from '#support/runner/suite'
import { hex } from '#support/values/hex'
import { createHosted, STEVE } from './hosted'

const test = suite('the room protocol’s client', { setUp: join, tearDown: leave })

/** A client of a server that is ours. */
function join(hosted = createHosted()) {
  const [stream, far] = streamPair()
  const served = hosted.server.serve(far, 'a member')
  const stop = new AbortController()
  const client = createScaffoldingClient(stream, { clock: hosted.clock, signal: stop.signal })
  return { hosted, client, served, stop }
}

/** The client goes, and the server notices. */
async function leave({ stop, served }: ReturnType<typeof join>): Promise<void> {
  stop.abort()
  await served
}

/** A client of a host that answers each request with these bytes. */
function joinFaulty(...answers: readonly Uint8Array[]) {
  const clock = createFakeClock()
  const stop = new AbortController()
  const [stream, far] = streamPair()
  const client = createScaffoldingClient(stream, { clock, signal: stop.signal })
  return { clock, stop, client, stream, far, answered: answer(far, answers) }
}

/** @returns the kinds that were asked */
async function answer(far: ByteStream, answers: readonly Uint8Array[]): Promise<string[]> {
  const read = createFrameReader(far, decodeRequest)
  const kinds: string[] = []
  for (const bytes of answers) {
    const request = await read()
    if (!request) break
    kinds.push(request.kind)
    await far.write(bytes)
  }
  return kinds
}

const text = (value: string) => new TextEncoder().encode(value)

test('a greeting asks in the decided order, and stops at what is no room', async () => {
  const right = encodeResponse({ status: 0, data: FINGERPRINT })
  const asked = joinFaulty(right, hex('00 00000000'), hex('00 00000000'), hex('20 00000000'))
  assert.equal(await handshake(asked.client, STEVE), { protocols: [], world: 'not-started' })
  assert.equal(await asked.answered, ['c:ping', 'c:player_ping', 'c:protocols', 'c:server_port'])

  const wrong = joinFaulty(hex('00 00000001 41'))
  assert.match(await failureText(handshake(wrong.client, STEVE)), /^fingerprint-mismatch/)
  assert.equal(await wrong.answered, ['c:ping'])
  for (const { far } of [asked, wrong]) far.destroy()
})

test('a refusal is told with the host’s reason, cleaned and cut', async () => {
  const reason = `full\n\u001B[31m${'x'.repeat(5000)}`
  const { client, far } = joinFaulty(encodeResponse({ status: 255, data: text(reason) }))
  const told = await failureText(client.playerPing(STEVE))
  assert.ok(told.startsWith('invalid-response: The host refuses c:player_ping with status 255: full[31mxxx'))
  assert.ok(told.length < 300)
  far.destroy()
})

test('a reason that is the name of what every object has is a text like another', async () => {
  for (const reason of ['constructor', '__proto__', 'toString']) {
    const { client, far } = joinFaulty(encodeResponse({ status: 255, data: text(reason) }))
    const told = await failureText(client.playerPing(STEVE))
    assert.is(told, `invalid-response: The host refuses c:player_ping with status 255: ${reason}`)
    far.destroy()
  }
})

test('a host that does not answer for 64 s is a lost connection, and the stream is closed', async () => {
  const { client, clock, stream } = joinFaulty()
  const outcome = failureText(client.ping())
  await clock.advance(FRAME_TIMEOUT_MS - 1)
  assert.is(await Promise.race([outcome, settle()]), undefined)
  await clock.advance(1)
  assert.is(await outcome, 'connection-lost: The host did not answer for 64 s.')
  await stream.closed
  assert.is(clock.timers, 0)
  assert.is(await failureText(client.ping()), 'connection-lost: The connection to the host broke.')
})

test('an answer that stops halfway is a lost connection', async () => {
  for (const leave of ['end', 'destroy'] as const) {
    const { client, stream, far, clock } = joinFaulty(hex('00 00000010 4157'))
    const outcome = failureText(client.ping())
    await settle()
    void far[leave]()
    assert.is(await outcome, 'connection-lost: The connection to the host broke.', leave)
    await stream.closed
    assert.is(clock.timers, 0)
  }
})

test.run()
