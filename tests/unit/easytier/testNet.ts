import { createRelay } from '#core/easytier/relay/relay'
import { createFakeClock } from '#support/network/fakeClock'
import { assert } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'
import { silentLog } from '#support/values/testLog'
import { createVirtualNet } from '#support/virtualNet/virtualNet'

type NodeOptions = {
  readonly delayMs?: number
  /** Whether a network of this name may use it. */
  readonly accepts?: (name: string) => boolean
}

/** An internet in simulated time, and what stops at the end all that a test has opened in it. */
export function createTestNet() {
  const clock = createFakeClock()
  const random = createPrng(1)
  const net = createVirtualNet({ clock, random: random.fork('net').next })
  const closings: (() => unknown)[] = []

  return {
    clock,
    random,
    net,
    atEnd: (stop: () => unknown) => void closings.unshift(stop),
    /** A shared node, and STUN servers beside it; the settings are those with which a network uses it. */
    async sharedNode(address: string, { delayMs = 0, accepts = () => true }: NodeOptions = {}) {
      for (const last of [1, 2]) net.machine(`8.8.8.${last}`).serveStun()
      const relay = createRelay({
        hostname: 'node',
        version: '0',
        limits: { networks: 1, membersPerNetwork: 8, connectionsPerAddress: 8, bytesPerSecond: 1e9 },
        accepts,
        clock,
        randomBytes: random.fork('relay').bytes,
        log: silentLog(),
      })
      const serving = new AbortController()
      const machine = net.machine(address)
      machine.line.delayMs = delayMs
      await machine.transports.listenTcp(11_010, relay.take, serving.signal)
      closings.unshift(() => {
        serving.abort()
        relay.close()
      })
      const stunServers = ['8.8.8.1:3478', '8.8.8.2:3478']
      return { machine, settings: { nodes: [`tcp://${address}:11010`], stunServers } }
    },
    /** Stops all, the last first, and sees that nothing is left after so long. */
    async close(ms = 1000) {
      for (const stop of closings) await stop()
      await clock.advance(ms)
      assert.equal([net.leaks(), clock.timers], [[], 0])
    },
  }
}
