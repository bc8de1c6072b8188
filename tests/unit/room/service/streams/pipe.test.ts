import type { DatagramFlow } from '#core/byteStream'
import { pipe, pipeDatagrams } from '#core/room/service/streams/pipe'
import { settle } from '../../../../support/network/fakeClock'
import { streamPair } from '../../../../support/network/streamPair'
import { assert, suite } from '../../../../support/runner/suite'
import { hasResolved } from '../../../../support/values/hasResolved'

const test = suite('pipes', { setUp: piped })

function piped() {
  const [client, near] = streamPair()
  const [far, server] = streamPair()
  const stop = new AbortController()
  const done = pipe(near, far, stop.signal)
  const isDone = hasResolved(done)
  return { client, server, near, far, stop, done, isDone }
}

test('bytes go both ways; those sent before the end are delivered', async ({ client, server, done }) => {
  await client.write(Uint8Array.of(1, 2))
  assert.equal(await server.read(), Uint8Array.of(1, 2))
  await server.write(Uint8Array.of(3))
  assert.equal(await client.read(), Uint8Array.of(3))
  await client.write(Uint8Array.of(4))
  void client.end()
  assert.equal(await server.read(), Uint8Array.of(4))
  assert.is(await server.read(), undefined)
  await done
})

test('a stream that breaks closes the other one', async ({ client, server, done }) => {
  client.destroy()
  await done
  await server.closed
})

test('an abort closes both, also one before the pipe', async ({ client, server, stop, done, isDone }) => {
  await settle()
  assert.not.ok(isDone())
  stop.abort()
  await Promise.all([done, client.closed, server.closed])
  const [one, other] = [streamPair(), streamPair()]
  await pipe(one[0], other[0], AbortSignal.abort())
  await Promise.all([one[1].closed, other[1].closed])
})

function flow() {
  const sent: Uint8Array[] = []
  let receive = (_bytes: Uint8Array) => {}
  let close = () => {}
  let closes = 0
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  const end: DatagramFlow = {
    send: (bytes) => void sent.push(bytes),
    onDatagram(listener) {
      receive = listener
    },
    close() {
      closes++
      close()
    },
    closed,
  }
  return { end, sent, receive: (bytes: Uint8Array) => receive(bytes), closes: () => closes }
}

test('datagrams go both ways until either flow closes', async () => {
  for (const isFirst of [true, false]) {
    const one = flow()
    const other = flow()
    pipeDatagrams(one.end, other.end)
    one.receive(Uint8Array.of(1))
    other.receive(Uint8Array.of(2))
    assert.equal([one.sent, other.sent], [[Uint8Array.of(2)], [Uint8Array.of(1)]])
    const [closing, left] = isFirst ? [one, other] : [other, one]
    closing.end.close()
    await settle()
    assert.is(left.closes(), 1)
  }
})

test.run()
