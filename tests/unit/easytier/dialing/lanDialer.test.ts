import { untilAborted } from '#core/async/onAbort'
import { openNetwork } from '#core/easytier/network'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import { createFakeClock } from '#support/network/fakeClock'
import { playerSettings } from '#support/network/playerSettings'
import { createReplayNet } from '#support/network/replayTransports'
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
    const network = await openNetwork({
      ...playerSettings(1),
      clock,
      randomBytes: createPrng(1).bytes,
      signal: stopping.signal,
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
    })
    await clock.advance(10)
    assert.equal([open, most], [expected, expected])
    await clock.advance(3000)
    assert.is(open, 0)
    stopping.abort(new Error('over'))
    await network.closed
  })

test.run()
