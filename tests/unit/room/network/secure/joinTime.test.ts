import { generatePrivateRoomCode, generateRoomCode, type RoomCode } from '@lantern-room/protocol'
import type { GuestConnection } from '#internal/room/roomNetwork'
import { echoAll } from '#support/network/byteStreams'
import { createFakeClock, settled } from '#support/network/fakeClock'
import { plainStreams } from '#support/room/plainStreams'
import { testCredentials } from '#support/room/testCredentials'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'
import { createVirtualNet } from '#support/virtualNet/virtualNet'

const test = suite('room: how long the streams of a private room take')

const ROOM_PORT = 13_448
const WORLD_PORT = 25_565
const ROUND_TRIP_MS = 100

test('each stream takes one round trip more than in an open room', async () => {
  const [open, closed] = [
    await timesOf(generateRoomCode(() => 0)),
    await timesOf(generatePrivateRoomCode(() => 0)),
  ]
  assert.is(roundTrips(closed.join - open.join), 2, JSON.stringify({ open, closed }))
  assert.is(roundTrips(closed.later - open.later), 1)
})

function roundTrips(ms: number): number {
  return Math.round(ms / ROUND_TRIP_MS)
}

/** In simulated milliseconds: the first answer of the world, and that of a second connection to it. */
async function timesOf(room: RoomCode) {
  const clock = createFakeClock()
  const random = createPrng(1)
  const net = createVirtualNet({ clock, random: random.fork('net').next, delayMs: ROUND_TRIP_MS / 2 })
  const networkOf = (name: string, address: string) =>
    testRoomNetwork({
      transports: net.machine(address).transports,
      // As TLS 1.3: the guest may send once the host has answered.
      secureStreams: plainStreams,
      clock,
      randomBytes: random.fork(name).bytes,
      privateIdentity: async () => ({ name: 'private', secret: 'derived' }),
    })
  const stopping = new AbortController()
  const { signal } = stopping
  await networkOf('host', '192.168.1.2').host({
    room,
    roomPort: ROOM_PORT,
    exposed: { tcp: [ROOM_PORT, WORLD_PORT], udp: [] },
    credentials: testCredentials(),
    onStream: (stream) => void echoAll(stream),
    onFlow: (flow) => flow.close(),
    signal,
  })
  await clock.advance(5000)

  const play = async () => {
    const guest = await networkOf('guest', '192.168.1.3').join({ room, onStep: () => {}, signal })
    const foundAt = clock.now()
    await askOnce(guest, ROOM_PORT)
    await askOnce(guest, WORLD_PORT)
    const joinedAt = clock.now()
    await askOnce(guest, WORLD_PORT)
    return { join: joinedAt - foundAt, later: clock.now() - joinedAt }
  }
  const times = await settled(clock, play())
  stopping.abort(new Error('over'))
  await clock.advance(1000)
  return times
}

async function askOnce(guest: GuestConnection, port: number): Promise<void> {
  const stream = await guest.dial(port)
  await stream.write(Uint8Array.of(1))
  await stream.read()
}

test.run()
