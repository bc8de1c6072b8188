import { randomBytes } from 'node:crypto'
import type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'
import { RoomFailure } from '@lantern-room/room'
import * as assert from 'uvu/assert'
import { readAll } from '#support/network/byteStreams'
import { failureCode } from '#support/room/failureOf'
import { each } from '#support/values/each'
import { until } from '#support/values/until'
import {
  digest,
  echo,
  exposed,
  GAME_PORT,
  inTime,
  type NetworkTest,
  openGuest,
  openHost,
  openPair,
  ROOM_PORT,
  readBytes,
  writeAll,
} from './networkFixture'

/** What goes through. */
export function streamCases({ test, fixture, traits }: NetworkTest): void {
  const { privacy = 'open' } = traits

  test('streams reach the exposed ports and nothing else', async () => {
    const { host, guest, stop } = await openPair(fixture(), { privacy })
    const streams = await Promise.all([ROOM_PORT, GAME_PORT].map((port) => guest.session.dial(port)))
    for (const stream of streams) await echo(stream)
    assert.equal(host.streams.map(({ port }) => port).sort(), [ROOM_PORT, GAME_PORT].sort())
    for (const port of [22, 80, GAME_PORT + 1])
      assert.is(await failureCode(touch(guest.session.dial(port))), 'host-unreachable', String(port))
    assert.is(host.streams.length, 2)
    await stop()
  })

  test('streams and flows come with the id of the member that has opened them', async () => {
    const host = await openHost(fixture().roomNetwork(), { privacy })
    const one = await openGuest(fixture().roomNetwork(), host.room)
    const other = await openGuest(fixture().roomNetwork(), host.room)
    for (const { session } of [one, other, one]) {
      await echo(await session.dial(ROOM_PORT))
      await echoDatagram(session.datagrams(GAME_PORT), 10)
    }
    const ofStreams = each(host.streams, 'memberId')
    const [first, second] = ofStreams
    assert.equal(ofStreams, [first, second, first])
    assert.equal(each(host.flows, 'memberId'), ofStreams)
    assert.equal(each(host.session.members(), 'id').sort(), [first, second].sort())
    await Promise.all([one.stop(), other.stop()])
    await host.stop()
  })

  test('a port that is exposed later is reached, and one that is no more is closed', async () => {
    const { host, guest, stop } = await openPair(fixture(), { privacy })
    const moved = 40_000
    const [stays, goes] = [await guest.session.dial(ROOM_PORT), await guest.session.dial(GAME_PORT)]
    for (const stream of [stays, goes]) await echo(stream)
    host.session.setExposed({ tcp: [ROOM_PORT, moved], udp: [moved] })
    await inTime(60_000, 'the end of the stream', () => goes.closed)
    await echo(stays)
    await echo(await guest.session.dial(moved))
    assert.is(await failureCode(touch(guest.session.dial(GAME_PORT))), 'host-unreachable')
    await stop()
  })

  test('much goes both ways at once, every byte as it was', async () => {
    const down = new Uint8Array(randomBytes(traits.bulk))
    const up = new Uint8Array(randomBytes(traits.bulk))
    let received: Promise<string> | undefined
    const { guest, stop } = await openPair(fixture(), {
      privacy,
      onStream(stream) {
        received = readBytes(stream, up.length).then(digest)
        void writeAll(stream, down, 50_000).catch(() => undefined)
      },
    })
    const stream = await guest.session.dial(GAME_PORT)
    const [bytes] = await Promise.all([readBytes(stream, down.length), writeAll(stream, up, 17_777)])
    assert.is(digest(bytes), digest(down))
    assert.is(await received, digest(up))
    stream.destroy()
    await stop()
  })

  test('fifty streams at once keep their bytes apart', async () => {
    const { host, guest, stop } = await openPair(fixture(), { privacy })
    const carry = async (_: unknown, at: number) => {
      const stream = await guest.session.dial(GAME_PORT)
      const sent = new Uint8Array(40_000 + at).fill(at)
      const [bytes] = await Promise.all([readBytes(stream, sent.length), writeAll(stream, sent, 7000)])
      assert.is(digest(bytes), digest(sent), String(at))
      await stream.end()
    }
    await Promise.all(Array.from({ length: 50 }, carry))
    assert.is(host.streams.length, 50)
    await inTime(60_000, 'the end at the host', () =>
      Promise.all(host.streams.map(({ stream }) => stream.closed)),
    )
    await stop()
  })

  test('an end delivers what was written, and a writer waits for a reader', async () => {
    const sent = new Uint8Array(randomBytes(8 * 1024 * 1024))
    let hasWritten = false
    const { guest, stop } = await openPair(fixture(), {
      privacy,
      onStream: (stream) =>
        void writeAll(stream, sent, 64 * 1024)
          .then(() => {
            hasWritten = true
            return stream.end()
          })
          .catch(() => undefined),
    })
    const stream = await guest.session.dial(GAME_PORT)
    await stream.write(new Uint8Array([1]))
    const first = await readBytes(stream, 1)
    await new Promise((resolve) => setTimeout(resolve, 500))
    assert.not.ok(hasWritten)
    const rest = await readAll(stream)
    assert.is(digest(Buffer.concat([first, rest])), digest(sent))
    await inTime(60_000, 'the end', () => stream.closed)
    await stop()
  })

  test('a stream that breaks is noticed at the other end', async () => {
    const { host, guest, stop } = await openPair(fixture(), { privacy })
    const stream = await guest.session.dial(GAME_PORT)
    await echo(stream)
    stream.destroy()
    await inTime(60_000, 'the end at the host', async () => host.streams[0]?.stream.closed)
    await stop()
  })

  test('datagrams of every size go there and back, to the exposed port alone', async () => {
    const { host, guest, stop } = await openPair(fixture(), { privacy })
    // In a private room its keys are made with the first stream.
    await echo(await guest.session.dial(ROOM_PORT))
    const flow = guest.session.datagrams(GAME_PORT)
    for (const size of [1, 2, 1199, 1200, 1201, 1500, 3000, 20_000]) await echoDatagram(flow, size)
    assert.equal(each(host.flows, 'port'), [GAME_PORT])
    const closed = guest.session.datagrams(GAME_PORT + 1)
    closed.onDatagram(() => assert.unreachable('nobody listens there'))
    closed.send(new Uint8Array([1]))
    const second = guest.session.datagrams(GAME_PORT)
    await echoDatagram(second, 10)
    assert.is(host.flows.length, 2)
    assert.equal([...exposed.udp], each(host.flows.slice(0, 1), 'port'))
    for (const one of [flow, closed, second]) one.close()
    await Promise.all([flow.closed, closed.closed, second.closed])
    await stop()
  })
}

/** A refusal may come after the stream was opened: then it is closed without a byte. */
async function touch(dialled: Promise<ByteStream>): Promise<void> {
  const stream = await dialled
  const bytes = await inTime(60_000, 'the refusal', () => stream.read())
  assert.is(bytes, undefined)
  throw new RoomFailure('host-unreachable', 'It was closed at once.')
}

/** Sent again where it was lost. */
async function echoDatagram(flow: DatagramFlow, size: number): Promise<void> {
  const sent = new Uint8Array(randomBytes(size))
  let isBack = false
  flow.onDatagram((bytes) => {
    isBack ||= Buffer.compare(bytes, sent) === 0
  })
  for (let turn = 0; turn < 20 && !isBack; turn += 1) {
    flow.send(sent)
    await until('the echo', () => isBack, { ms: 1000 }).catch(() => undefined)
  }
  assert.ok(isBack, `${size} bytes`)
}
