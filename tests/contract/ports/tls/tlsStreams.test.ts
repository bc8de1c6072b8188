import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTlsStreams } from '@lantern-room/adapters/tls'
import type { ByteStream } from '@lantern-room/base/bytes'
import type { HostCredentials, SecureStream } from '@lantern-room/room/ports'
import { readAll } from '#support/network/byteStreams'
import { streamPair } from '#support/network/streamPair'
import { testCredentials } from '#support/room/testCredentials'
import { assert, suite } from '#support/runner/suite'

const test = suite('TLS over a stream', { timeoutMs: 5_000 })

const streams = createTlsStreams()
const never = new AbortController().signal

test('both ends agree on a key, and the guest learns the key of the host', async () => {
  const { guest, host } = await connected()
  assert.is(guest.peerKey?.length, 32)
  assert.is(host.peerKey, undefined)
  const [one, other] = [guest, host].map(({ exportKey }) => exportKey('EXPORTER-test', 40))
  assert.equal(one, other)
  assert.is.not(String(one), String(guest.exportKey('EXPORTER-another', 40)))
  assert.equal((await connected()).guest.peerKey, guest.peerKey, 'the same host has the same key')
  assert.is.not(String((await connected(testCredentials(2))).guest.peerKey), String(guest.peerKey))
})

test('bytes arrive as they were sent, and nothing of them is seen between', async () => {
  const { guest, host, seen } = await connected()
  const sent = new Uint8Array(randomBytes(3_000_000))
  const write = async () => {
    for (let at = 0; at < sent.length; at += 70_001) await guest.stream.write(sent.slice(at, at + 70_001))
    await guest.stream.end()
  }
  const [received] = await Promise.all([readAll(host.stream), write()])
  assert.ok(received.equals(sent))
  assert.not(Buffer.concat(seen).includes(Buffer.from(sent.subarray(1000, 1016))))
  await Promise.all([guest.stream.closed, host.stream.closed])
})

test('an end at one side is an end at the other, and all is closed', async () => {
  for (const end of ['guest', 'host'] as const) {
    const pair = await connected()
    const other = end === 'guest' ? pair.host : pair.guest
    await pair[end].stream.write(Uint8Array.of(1, 2, 3))
    void pair[end].stream.end()
    assert.equal([...((await other.stream.read()) ?? [])], [1, 2, 3])
    assert.is(await other.stream.read(), undefined)
    await Promise.all([pair.guest.stream.closed, pair.host.stream.closed, ...pair.closed])
  }
})

test('a stream that is destroyed at one side closes at the other', async () => {
  for (const side of ['guest', 'host'] as const)
    for (const isReading of [true, false]) {
      const pair = await connected()
      const other = side === 'guest' ? pair.host : pair.guest
      const reading = isReading ? other.stream.read().catch(() => undefined) : undefined
      pair[side].stream.destroy()
      assert.is(await reading, undefined)
      await Promise.all([pair.guest.stream.closed, pair.host.stream.closed, ...pair.closed])
    }
})

test('a stream that breaks below closes both', async () => {
  const { guest, host, raw, closed } = await connected()
  const reading = host.stream.read().catch(() => undefined)
  raw[0].destroy()
  assert.is(await reading, undefined)
  await Promise.all([guest.stream.closed, host.stream.closed, ...closed])
})

test('a writer waits for a reader', async () => {
  const { guest, host } = await connected()
  let written = 0
  const write = async () => {
    for (; written < 100; written += 1) await guest.stream.write(new Uint8Array(100_000))
    await guest.stream.end()
  }
  const writing = write()
  await sleep(200)
  assert.ok(written < 60, `${written}`)
  assert.is((await readAll(host.stream)).length, 10_000_000)
  await writing
})

test('what is not TLS is told from what does not answer', async () => {
  const answers: readonly (readonly [(host: ByteStream) => void, 'not-tls' | 'closed'])[] = [
    [(host) => void host.write(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')), 'not-tls'],
    [(host) => void host.write(Uint8Array.of(255, 0, 0, 0, 3, 110, 111, 33)), 'not-tls'],
    [(host) => void host.end(), 'closed'],
    [(host) => host.destroy(), 'closed'],
  ]
  for (const [answer, kind] of answers) {
    const [near, far] = streamPair()
    const connecting = streams.connect(near, never)
    await far.read()
    answer(far)
    const { kind: outcome } = await connecting
    far.destroy()
    assert.is(outcome, kind)
    await near.closed
  }
})

test('a host does not take what is not TLS', async () => {
  const [near, far] = streamPair()
  const accepting = streams.createAcceptor(testCredentials())(far, never)
  await near.write(new Uint8Array(64).fill(65))
  assert.is((await accepting).kind, 'not-tls')
  near.destroy()
  await Promise.all([near.closed, far.closed])
})

test('the signal gives a handshake up and closes the stream', async () => {
  for (const side of ['guest', 'host'] as const) {
    const [near, far] = streamPair()
    const stop = new AbortController()
    const shaking =
      side === 'guest'
        ? streams.connect(near, stop.signal)
        : streams.createAcceptor(testCredentials())(near, stop.signal)
    await sleep(10)
    stop.abort(new Error('enough'))
    assert.is((await shaking).kind, 'closed')
    far.destroy()
    await near.closed
  }
})

async function connected(credentials: HostCredentials = testCredentials()) {
  const raw = streamPair()
  const seen: Uint8Array[] = []
  const accept = streams.createAcceptor(credentials)
  const [guest, host] = await Promise.all([
    streams.connect(watched(raw[0], seen), never),
    accept(watched(raw[1], seen), never),
  ])
  return {
    guest: secured(guest),
    host: secured(host),
    raw,
    seen,
    closed: raw.map(({ closed }) => closed),
  }
}

function secured(handshake: Awaited<ReturnType<typeof streams.connect>>): SecureStream {
  if (handshake.kind !== 'secure') throw new Error('no handshake', { cause: handshake.cause })
  return handshake.secure
}

function watched(stream: ByteStream, seen: Uint8Array[]): ByteStream {
  return {
    ...stream,
    write(bytes) {
      seen.push(bytes)
      return stream.write(bytes)
    },
  }
}

test.run()
