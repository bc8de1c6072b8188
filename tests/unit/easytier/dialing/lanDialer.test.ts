import { untilAborted } from '@lantern-room/base/async'
import { Network } from '#internal/easytier/network'
import type { Endpoint } from '#internal/easytier/wire/socketAddress'
import { createFakeClock } from '#support/network/fakeClock'
import { playerSettings } from '#support/network/playerSettings'
import { createFarEnd, createReplayNet } from '#support/network/replayTransports'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'

const test = suite('easytier: listeners on the LAN')

for (const [what, addressOf, expected] of [
  ['of one machine, one is', () => '192.168.1.7', 1],
  ['of many machines, 32 are', (at: number) => `192.168.${at >> 8}.${at & 255}`, 32],
] as const)
  test(`of a thousand listeners ${what} dialled at a time`, async () => {
    const clock = createFakeClock()
    const stopping = new AbortController()
    const { transports } = createReplayNet({})
    let open = 0
    let most = 0
    const network = await Network.open(
      {
        ...playerSettings(1),
        clock,
        randomBytes: createPrng(1).bytes,
        transports: {
          ...transports,
          async dialTcp(_to: Endpoint, signal: AbortSignal) {
            open += 1
            most = Math.max(most, open)
            await untilAborted(signal)
            open -= 1
            throw signal.reason
          },
          lan: {
            ...transports.lan,
            discover(_key: string, onFound: (at: Endpoint) => void, signal: AbortSignal) {
              for (let at = 1; at < 1000; at += 1) onFound({ address: addressOf(at), port: 2000 + at })
              return untilAborted(signal)
            },
          },
        },
      },
      stopping.signal,
    )
    await clock.advance(10)
    assert.equal([open, most], [expected, expected])
    // The next ones wait for their turn.
    await clock.advance(3000)
    assert.equal([open, most], [expected, expected])
    stopping.abort(new Error('over'))
    await network.closed
    assert.is(open, 0)
  })

test('a listener that is connected is dialled no more, whatever is announced, and the others are', async () => {
  const clock = createFakeClock()
  const stopping = new AbortController()
  const { transports } = createReplayNet({})
  const dialled: string[] = []
  const ends = [createFarEnd(() => {}), createFarEnd(() => {})]
  let found = (_at: Endpoint) => {}
  const network = await Network.open(
    {
      ...playerSettings(1),
      isFoundOnLan: () => false,
      clock,
      randomBytes: createPrng(1).bytes,
      transports: {
        ...transports,
        async dialTcp({ address, port }: Endpoint) {
          dialled.push(`${address}:${port}`)
          return ends[dialled.length - 1]?.link ?? Promise.reject(new Error('refused'))
        },
        lan: {
          ...transports.lan,
          discover(_key: string, onFound: (at: Endpoint) => void, signal: AbortSignal) {
            found = onFound
            return untilAborted(signal)
          },
        },
      },
    },
    stopping.signal,
  )
  const announce = async (...ports: readonly number[]) => {
    for (const port of ports) found({ address: '192.168.1.7', port })
    await clock.advance(2000)
  }
  await announce(2000, 2000, 22)
  await announce(2000, 3000, 2000)
  await announce(2000, 3000)
  assert.equal(dialled, ['192.168.1.7:2000', '192.168.1.7:3000'])
  ends[0]?.end()
  await announce(2000)
  assert.is(dialled.length, 3)
  stopping.abort(new Error('over'))
  await network.closed
})

test.run()
