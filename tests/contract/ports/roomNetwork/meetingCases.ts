import type { ByteStream } from '@lantern-room/base/bytes'
import { generatePrivateRoomCode, generateRoomCode, type RoomCode } from '@lantern-room/protocol'
import * as assert from 'uvu/assert'
import { failureCode } from '#support/room/failureOf'
import { openNetworkOf } from '#support/room/openNetworkOf'
import { encodeResponse } from '#support/room/protocolFrames'
import { until } from '#support/values/until'
import {
  echo,
  GAME_PORT,
  type NetworkTest,
  openGuest,
  openHost,
  openPair,
  ROOM_PORT,
  readBytes,
} from './networkFixture'

/** Who finds whom by a room code. */
export function meetingCases({ test, fixture, traits }: NetworkTest): void {
  test('a guest finds the host by the code, and both see each other', async () => {
    const host = await openHost(fixture().roomNetwork())
    assert.equal(host.session.members(), [])
    const guest = await openGuest(fixture().roomNetwork(), host.room)
    const { member, roomPort, isOurs } = guest.session.host
    assert.equal([roomPort, isOurs], [ROOM_PORT, true])
    assert.is(member.hostname, `scaffolding-mc-server-${ROOM_PORT}`)
    assert.match(member.address ?? '', /^\d+\.\d+\.\d+\.\d+$/)
    assert.ok(guest.session.members().some(({ id }) => id === member.id))
    const order = ['starting', 'connecting-nodes', 'looking-for-host', 'host-found']
    assert.equal(
      guest.steps,
      order.filter((step) => guest.steps.some((one) => one === step)),
    )
    assert.is(guest.steps.at(-1), 'host-found')
    assert.is(guest.session.status().privacy, 'open')
    assert.is(host.session.status().privacy, 'open')
    assert.ok(guest.session.status().path)
    await until('the host sees the guest', () => host.session.members().length === 1)
    await guest.stop()
    await until('the host sees that it has left', () => host.session.members().length === 0)
    await host.stop()
  })

  test('a private room is found by the same code', async () => {
    const { host, guest, stop } = await openPair(fixture(), { room: generatePrivateRoomCode() })
    assert.is(guest.session.status().privacy, 'private')
    assert.is(host.session.status().privacy, 'private')
    const stream = await guest.session.dial(GAME_PORT)
    await echo(stream, [1, 2, 3])
    await stop()
  })

  test('three guests are in one room, each with streams of its own', async () => {
    const host = await openHost(fixture().roomNetwork())
    const guests = await Promise.all([1, 2, 3].map(() => openGuest(fixture().roomNetwork(), host.room)))
    await until('the host sees all', () => host.session.members().length === 3)
    const echoes = await Promise.all(
      guests.map(async ({ session }, at) => {
        const stream = await session.dial(GAME_PORT)
        await stream.write(new Uint8Array(1000).fill(at))
        const bytes = await readBytes(stream, 1000)
        stream.destroy()
        return bytes
      }),
    )
    for (const [at, bytes] of echoes.entries()) assert.ok(bytes.every((byte) => byte === at))
    assert.is(new Set(host.session.members().map(({ id }) => id)).size, 3)
    await Promise.all([...guests, host].map(({ stop }) => stop()))
  })

  test('two rooms on one network do not see each other', async () => {
    const one = await openHost(fixture().roomNetwork())
    const other = await openHost(fixture().roomNetwork())
    const guest = await openGuest(fixture().roomNetwork(), other.room)
    const stream = await guest.session.dial(GAME_PORT)
    await echo(stream)
    assert.is(one.streams.length, 0)
    assert.is(other.streams.length, 1)
    assert.equal(one.session.members(), [])
    await Promise.all([guest, one, other].map(({ stop }) => stop()))
  })

  test('nobody hosts: the guest is told so', async () => {
    const startedAt = performance.now()
    assert.is(await failureCode(openGuest(fixture().roomNetwork(), generateRoomCode())), 'host-not-found')
    assert.ok(performance.now() - startedAt < traits.searchMs, `${performance.now() - startedAt} ms`)
  })

  test('the second half of the code is wrong: no way in, and no stream', async () => {
    const host = await openHost(fixture().roomNetwork())
    const failure = await failureCode(openGuest(fixture().roomNetwork(), withOtherSecret(host.room)))
    assert.is(failure, 'host-not-found')
    assert.equal(host.session.members(), [])
    await host.stop()
  })

  if (!traits.seesEveryHost) return
  test('two who host with one code: the guest takes one that answers, and says that there are several', async () => {
    const onStream = (stream: ByteStream) => void refuseAll(stream).catch(() => undefined)
    const host = await openHost(fixture().roomNetwork(), { onStream })
    const { room } = host
    const second = await openHost(fixture().roomNetwork(), { room, onStream })
    const guest = await openGuest(fixture().roomNetwork(), room)
    assert.ok(guest.session.isOneOfSeveral())
    await second.stop()
    await until('there is one', () => !guest.session.isOneOfSeveral())
    const later = await openGuest(fixture().roomNetwork(), room)
    await until('there is one for it', () => !later.session.isOneOfSeveral())
    await Promise.all([guest.stop(), later.stop(), host.stop()])
  })
}

/** As a host of another program answers what it does not know. */
async function refuseAll(stream: ByteStream): Promise<void> {
  for (let bytes = await stream.read(); bytes; bytes = await stream.read()) {
    await stream.write(encodeResponse({ status: 255, data: new Uint8Array(0) }))
  }
}

function withOtherSecret(room: RoomCode): RoomCode {
  if (room.privacy === 'private') return generatePrivateRoomCode()
  const { secret } = openNetworkOf(room.text)
  return { ...room, text: room.text.replace(secret, secret === '0000-0000' ? '1111-1111' : '0000-0000') }
}
