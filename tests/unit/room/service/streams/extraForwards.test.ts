import { untilAborted } from '#core/async/onAbort'
import { ServiceError } from '#core/errors'
import type { ExtraPort, ShownPort } from '#core/room/extraPorts'
import type { LocalNet } from '#core/room/ports'
import { createExtraForwards } from '#core/room/service/streams/extraForwards'
import { settle } from '../../../../support/network/fakeClock'
import { assert, suite } from '../../../../support/runner/suite'
import { silentLog } from '../../../../support/values/testLog'

const test = suite('local ports for the host’s extra ports', { setUp: createSetting })

const VOICE: ExtraPort = { name: 'voice', tcp: undefined, udp: 24_454 }
const MAP: ExtraPort = { name: 'map', tcp: 8123, udp: undefined }
const log = silentLog()

/** A machine on which some ports are taken, or all of them. */
function createSetting(taken: readonly number[] | 'all' = []) {
  const stop = new AbortController()
  const open = new Set<string>()
  const shown: (readonly ShownPort[])[] = []
  const isTaken = (port: number) => taken === 'all' || taken.includes(port)
  const openUntil = (name: string, signal: AbortSignal) => {
    open.add(name)
    return untilAborted(signal).then(() => void open.delete(name))
  }
  const localNet: LocalNet = {
    connect: () => Promise.reject(new Error('not used')),
    openDatagrams: () => {
      throw new Error('not used')
    },
    async listen(ports, _onStream, signal) {
      const port = ports.find((one) => one === 0 || !isTaken(one))
      if (port === undefined || taken === 'all') throw new ServiceError('unavailable', 'None is free.')
      return { port: port || 50_000, closed: openUntil(`tcp ${port || 50_000}`, signal) }
    },
    async listenDatagrams(port, _onFlow, signal) {
      if (isTaken(port)) return false
      void openUntil(`udp ${port}`, signal)
      return true
    },
  }
  const connection = {
    dial: () => Promise.reject(new Error('not used')),
    datagrams: () => {
      throw new Error('not used')
    },
  }
  const forwards = createExtraForwards(
    { connection, localNet, log, hold: () => {} },
    (list) => void shown.push(list),
    stop.signal,
  )
  return { forwards, open, shown, stop }
}

test('each is opened under its own number where that is free, else under another', async () => {
  const { forwards, shown } = createSetting([24_454, 8123])
  await forwards.update([VOICE, MAP])
  assert.equal(shown, [
    [
      { ...VOICE, localTcp: undefined, localUdp: 24_455 },
      { ...MAP, localTcp: 50_000, localUdp: undefined },
    ],
  ])
})

test('only what has changed is opened and closed', async ({ forwards, open, shown }) => {
  await forwards.update([VOICE])
  await forwards.update([VOICE])
  assert.is(shown.length, 1)
  await forwards.update([MAP, VOICE])
  assert.equal([...open], ['udp 24454', 'tcp 8123'])
  await forwards.update([MAP])
  await settle()
  assert.equal([...open], ['tcp 8123'])
  assert.equal(shown.at(-1), [{ ...MAP, localTcp: 8123, localUdp: undefined }])
})

test('a port that cannot be opened is shown as such', async () => {
  const { forwards, shown } = createSetting('all')
  await forwards.update([VOICE, MAP])
  assert.equal(
    shown.at(-1)?.map(({ localTcp, localUdp }) => [localTcp, localUdp]),
    [
      [undefined, undefined],
      [undefined, undefined],
    ],
  )
})

test('all are closed with the attempt', async ({ forwards, open, stop }) => {
  await forwards.update([VOICE, MAP])
  stop.abort()
  await settle()
  assert.is(open.size, 0)
})

test.run()
