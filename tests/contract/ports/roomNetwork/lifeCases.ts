import { generateRoomCode } from '@lantern-room/protocol'
import { RoomFailure } from '@lantern-room/room'
import * as assert from 'uvu/assert'
import { testCredentials } from '#support/room/testCredentials'
import { rejection } from '#support/values/failures'
import { until } from '#support/values/until'
import {
  echo,
  GAME_PORT,
  inTime,
  type NetworkTest,
  openGuest,
  openHost,
  openPair,
  readBytes,
} from './networkFixture'

/** How it ends, breaks and comes back. */
export function lifeCases({ test, fixture }: NetworkTest): void {
  test('an attempt that was ended before it began leaves nothing', async () => {
    const reason = new Error('not wanted any more')
    const signal = AbortSignal.abort(reason)
    const room = generateRoomCode()
    const roomNetwork = fixture().roomNetwork()
    assert.is(await rejection(openGuest(roomNetwork, room, { signal })), reason)
    const nothing = { tcp: [], udp: [] }
    const unwanted = () => assert.unreachable('nobody can come')
    const taken = { onStream: unwanted, onFlow: unwanted }
    const hosting = roomNetwork.host({
      room,
      roomPort: 2000,
      exposed: nothing,
      credentials: testCredentials(),
      signal,
      ...taken,
    })
    assert.is(await rejection(hosting), reason)
  })

  for (const ms of [0, 5, 50, 500])
    test(`a search that is ended after ${ms} ms leaves nothing`, async () => {
      const controller = new AbortController()
      const reason = new Error('not wanted any more')
      const joining = rejection(openGuest(fixture().roomNetwork(), generateRoomCode(), controller))
      await new Promise((resolve) => setTimeout(resolve, ms))
      controller.abort(reason)
      const thrown = await inTime(6000, 'the end', () => joining)
      // One that answers at once may be faster.
      assert.ok(thrown === reason || codeOf(thrown) === 'host-not-found', String(thrown))
    })

  test('a host is found without being joined, and the search leaves nothing, however it ends', async () => {
    const host = await openHost(fixture().roomNetwork())
    const { signal } = new AbortController()
    await inTime(60_000, 'the host', () => fixture().roomNetwork().find({ room: host.room, signal }))
    await until('it sees nobody', () => host.session.members().length === 0)
    assert.equal([host.streams, host.flows], [[], []])
    for (const ms of [0, 50]) {
      const ending = new AbortController()
      const room = generateRoomCode()
      const finding = rejection(fixture().roomNetwork().find({ room, signal: ending.signal }))
      await new Promise((resolve) => setTimeout(resolve, ms))
      ending.abort(new Error('not wanted any more'))
      assert.ok(await inTime(6000, 'the end', () => finding))
    }
    await host.stop()
  })

  test('a stop closes every stream and flow, at the host as well', async () => {
    const { host, guest } = await openPair(fixture())
    const streams = await Promise.all(Array.from({ length: 5 }, () => guest.session.dial(GAME_PORT)))
    for (const stream of streams) await echo(stream)
    const flow = guest.session.datagrams(GAME_PORT)
    flow.send(new Uint8Array([1]))
    await inTime(20_000, 'the end of the guest', guest.stop)
    await inTime(20_000, 'the end of its streams', () => Promise.all(streams.map(({ closed }) => closed)))
    await inTime(20_000, 'the end of its flow', () => flow.closed)
    await inTime(60_000, 'the end of the streams at the host', () =>
      Promise.all(host.streams.map(({ stream }) => stream.closed)),
    )
    await inTime(20_000, 'the end of the host', host.stop)
    const told = guest.events.length
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.is(guest.events.length, told)
  })

  test('a dial can be given up', async () => {
    const { guest, stop } = await openPair(fixture())
    const reason = new Error('not wanted any more')
    assert.is(await rejection(guest.session.dial(GAME_PORT, AbortSignal.abort(reason))), reason)
    await stop()
  })

  test('the host stops and returns: lost, then back as another run, and dialled anew', async () => {
    const roomNetwork = fixture().roomNetwork()
    const host = await openHost(roomNetwork)
    const guest = await openGuest(fixture().roomNetwork(), host.room)
    const old = await guest.session.dial(GAME_PORT)
    await echo(old)
    await host.stop()
    await guest.next('lost', 30_000)
    const again = await openHost(roomNetwork, { room: host.room })
    assert.equal(await guest.next('back', 30_000), { kind: 'back', isRestarted: true })
    await inTime(20_000, 'the end of the old stream', () => old.closed)
    const stream = await guest.session.dial(GAME_PORT)
    await echo(stream, [2])
    await Promise.all([guest.stop(), again.stop()])
  })

  test('a guest that left can come again', async () => {
    const host = await openHost(fixture().roomNetwork())
    const roomNetwork = fixture().roomNetwork()
    for (let turn = 0; turn < 3; turn += 1) {
      const guest = await openGuest(roomNetwork, host.room)
      const stream = await guest.session.dial(GAME_PORT)
      await echo(stream, [turn])
      await guest.stop()
    }
    await host.stop()
  })

  test('a line that is cut: lost, then back as the same host, and streams go on', async () => {
    const { line } = fixture()
    if (!line) return
    const { host, guest, stop } = await openPair(fixture())
    const stream = await guest.session.dial(GAME_PORT)
    await echo(stream)
    await line.cut(host.room)
    await guest.next('lost')
    await stream.write(new Uint8Array([2, 3]))
    await line.heal(host.room)
    assert.equal(await guest.next('back'), { kind: 'back', isRestarted: false })
    assert.equal([...(await inTime(60_000, 'the echo', () => readBytes(stream, 2)))], [2, 3])
    await stop()
  })
}

function codeOf(error: unknown): string | undefined {
  return error instanceof RoomFailure ? error.code : undefined
}
