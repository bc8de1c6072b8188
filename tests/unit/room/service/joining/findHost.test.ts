import { RoomFailure } from '#core/room/failure'
import { generatePrivateRoomCode, generateRoomCode, type RoomCode } from '#core/room/roomCode'
import type { RoomNetwork } from '#core/room/roomNetwork'
import { createMemoryText } from '../../../../support/room/memoryText'
import { type SimulatedRoom, simulatedRoomsOf } from '../../../../support/room/simulatedRooms'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('the search for a host')

const setting = simulatedRoomsOf(test)
let host: SimulatedRoom
let guest: SimulatedRoom
let room: string

test.before.each(async () => {
  host = setting.open()
  guest = setting.open()
  host.machine.openWorld(30_000, { announced: true })
  room = await host.host({ gamePort: 30_000, playerName: 'Alex' })
})

const advance = (ms: number) => setting.clock.advance(ms)
const shown = () => guest.shown()

test('a guest that waits says so while nobody hosts, and goes in by itself', async () => {
  await host.service.stop()
  await guest.ask('/room/guest/start', { roomCode: room, wait: true })
  await advance(120_000)
  assert.is(shown().code, undefined)
  assert.match(shown().notice?.text ?? '', /Waiting for your friend/)
  await host.host({ gamePort: 30_000, playerName: 'Alex', room })
  await advance(30_000)
  assert.equal([shown().stage, shown().notice], ['Guest_Running', null])
})

test('a guest that does not wait fails when nobody hosts', async () => {
  await host.service.stop()
  await guest.ask('/room/guest/start', { roomCode: room })
  await advance(120_000)
  assert.is(shown().code, 'host-not-found')
})

test('the host of a private room is known at the next join, unless another one is accepted or invited', async () => {
  const asked: (Uint8Array | undefined)[] = []
  const key = (byte: number) => new Uint8Array(32).fill(byte)
  let proved = key(1)
  const join: RoomNetwork['join'] = async ({ hostKey, onHostKey }) => {
    asked.push(hostKey)
    onHostKey?.(proved)
    throw new RoomFailure('network-failed', 'Far enough.')
  }
  const knownHosts = createMemoryText()
  const player = setting.open({ roomNetwork: { ...setting.network.roomNetwork, join }, knownHosts })
  const order = async (room: RoomCode, more = {}) => {
    const { status } = await player.ask('/room/guest/start', { roomCode: room.text, ...more })
    assert.is(status, 200)
    await advance(0)
    await player.service.stop()
  }
  const [room, other] = [generatePrivateRoomCode(), generatePrivateRoomCode()]
  await order(room)
  await order(other)
  proved = key(2)
  await order(room, { acceptNewHost: true })
  await order(room)
  await order(generateRoomCode())
  assert.equal(asked, [undefined, undefined, undefined, key(2), undefined])
})

test.run()
