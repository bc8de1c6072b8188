import { createScaffoldingClient } from '@lantern-room/protocol/client'
import { type SimulatedRoom, simulatedRoomsOf } from '../../../../support/room/simulatedRooms'
import { assert, suite } from '../../../../support/runner/suite'
import { STEVE } from '../../../protocol/scaffolding/hosted'

const test = suite('what members reach of a host')

const setting = simulatedRoomsOf(test)
let host: SimulatedRoom

test.before.each(() => {
  host = setting.open()
})

const shown = () => host.shown()

test('a guest that never asks again reaches the world on its new port by the old one, and nothing else', async () => {
  const stop = new AbortController()
  const close = host.machine.openWorld(30_000)
  await host.host({ gamePort: 30_000 })
  const guest = await setting.member(host, stop.signal)
  const client = createScaffoldingClient(await guest.dial(guest.host.roomPort), {
    clock: setting.clock,
    signal: stop.signal,
    supportsPipelining: false,
  })
  /** With the pings by which it stays registered. */
  const advance = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 5000) {
      await client.playerPing(STEVE)
      await setting.clock.advance(Math.min(5000, ms - passed))
    }
  }
  /** What comes back from a port of the host. */
  const answerAt = async (port: number) => {
    const stream = await guest.dial(port)
    await stream.write(Uint8Array.of(7))
    const bytes = await stream.read().catch(() => undefined)
    return { stream, bytes: bytes && [...bytes] }
  }
  const { stream, bytes } = await answerAt(30_000)
  assert.equal(bytes, [7])
  close()
  await advance(20_000)
  await stream.closed
  assert.is(await guest.dial(30_000).catch((error: { code: string }) => error.code), 'host-unreachable')
  // Another program takes the port that the world has left.
  host.machine.openWorld(30_000, { mute: true })
  host.machine.openWorld(31_000, { announced: true })
  await host.ask('/room/host/game', { gamePort: 31_000 })
  await advance(9000)
  assert.is(shown().gamePort, 31_000)
  assert.equal((await answerAt(30_000)).bytes, [7])
  assert.equal((await answerAt(31_000)).bytes, [7])
  stop.abort()
})

test('a change of the world ends what leads to the one before', async () => {
  const stop = new AbortController()
  host.machine.openWorld(30_000)
  host.machine.openWorld(31_000)
  await host.host({ gamePort: 30_000 })
  const stream = await (await setting.member(host, stop.signal)).dial(30_000)
  await host.ask('/room/host/game', { gamePort: 31_000 })
  await setting.clock.advance(5000)
  await stream.closed
  stop.abort()
})

test.run()
