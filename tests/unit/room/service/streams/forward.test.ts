import { untilAborted } from '#core/async/onAbort'
import type { ByteStream } from '#core/byteStream'
import type { LocalNet } from '#core/room/ports'
import { openForward } from '#core/room/service/streams/forward'
import { createFakeClock, settle } from '../../../../support/network/fakeClock'
import { streamPair } from '../../../../support/network/streamPair'
import { failureCode } from '../../../../support/room/failureOf'
import { guestConnection } from '../../../../support/room/guestConnection'
import { assert, suite } from '../../../../support/runner/suite'
import { hasResolved } from '../../../../support/values/hasResolved'
import { silentLog } from '../../../../support/values/testLog'

const test = suite('forward to the world of the host', { setUp: openSetting })

/** A forward of port 4000 between a fake machine and a fake host, both of which only hold streams. */
async function openSetting() {
  const clock = createFakeClock()
  const { signal } = new AbortController()
  const dialled: ByteStream[] = []
  let onStream = (_stream: ByteStream) => {}
  const notUsed = () => {
    throw new Error('not used')
  }
  const localNet: LocalNet = {
    connect: notUsed,
    openDatagrams: notUsed,
    async listen(_ports, listener) {
      onStream = listener
      return { port: 4000, closed: untilAborted(signal) }
    },
    listenDatagrams: async () => true,
  }
  const connection = guestConnection({
    async dial() {
      const [near, far] = streamPair()
      dialled.push(far)
      return near
    },
  })
  const dependencies = { connection, localNet, clock, probe: async () => undefined, log: silentLog() }
  const forward = await openForward(dependencies, 3000, signal)
  const connect = () => {
    const [client, accepted] = streamPair()
    onStream(accepted)
    return client
  }
  return { clock, signal, dialled, forward, connect }
}

test('at most 256 connections are open at once', async ({ connect, dialled }) => {
  const clients = Array.from({ length: 257 }, connect)
  await clients[256]?.closed
  await settle()
  assert.is(dialled.length, 256)
})

test('a world that answers no ping has to keep a stream open for 500 ms', async (setting) => {
  const { clock, signal, dialled, forward } = setting
  const kept = forward.check(signal)
  const isDone = hasResolved(kept)
  await clock.advance(499)
  assert.not.ok(isDone())
  await clock.advance(1)
  await kept
  const refused = failureCode(forward.check(signal))
  await settle()
  dialled[1]?.destroy()
  assert.is(await refused, 'host-unreachable')
  assert.is(clock.timers, 0)
})

test.run()
