import { untilAborted } from '@lantern-room/base/async'
import type { LocalNet } from '@lantern-room/game/ports'
import { createKeptNumbers } from '#internal/room/localNumbers'
import { openForward } from '#internal/room/service/streams/forward'
import { createFakeClock, settle } from '../../../../support/network/fakeClock'
import { streamPair } from '../../../../support/network/streamPair'
import { guestConnection } from '../../../../support/room/guestConnection'
import { assert, suite } from '../../../../support/runner/suite'
import { silentLog } from '../../../../support/values/testLog'

const test = suite('forward to the world of the host')

test('at most 256 connections are open at once', async () => {
  const { signal } = new AbortController()
  let dialled = 0
  let onStream: Parameters<LocalNet['listen']>[1] = () => {}
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
      dialled += 1
      return streamPair()[0]
    },
  })
  const clock = createFakeClock()
  const numbers = createKeptNumbers([])
  const dependencies = {
    connection,
    localNet,
    clock,
    numbers,
    probe: async () => undefined,
    log: silentLog(),
  }
  await openForward(dependencies, 3000, undefined, signal)
  const clients = Array.from({ length: 257 }, () => {
    const [client, accepted] = streamPair()
    onStream(accepted)
    return client
  })
  await clients[256]?.closed
  await settle()
  assert.is(dialled, 256)
})

test.run()
