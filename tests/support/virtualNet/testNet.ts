import { createRelay } from '@lantern-room/easytier'
import { createFakeClock, type FakeClock } from '../network/fakeClock'
import { assert } from '../runner/suite'
import { createPrng } from '../values/prng'
import { silentLog } from '../values/testLog'
import { createVirtualNet, type LineSettings } from './virtualNet'

type TestNetOptions = LineSettings & {
  readonly seed?: number
  readonly clock?: FakeClock
  /** What routers and lines draw from; by default the seed's own. */
  readonly chance?: () => number
}

/** An internet in simulated time, and what stops at the end all that a test has opened in it. */
export function createTestNet({ seed = 1, clock = createFakeClock(), chance, ...line }: TestNetOptions = {}) {
  const random = createPrng(seed)
  const net = createVirtualNet({ ...line, clock, random: chance ?? random.fork('net').next })
  const closings: (() => unknown)[] = []
  const atEnd = (stop: () => unknown) => void closings.unshift(stop)

  return {
    clock,
    random,
    net,
    atEnd,
    /** A shared node, and STUN servers beside it; the settings are those with which a network uses it. */
    async sharedNode(address: string, delayMs = 0) {
      for (const last of [1, 2]) net.machine(`8.8.8.${last}`).serveStun()
      const relay = createRelay({
        hostname: 'node',
        version: '0',
        limits: { networks: 10, membersPerNetwork: 64, connectionsPerAddress: 64, bytesPerSecond: 1e9 },
        clock,
        randomBytes: random.fork('relay').bytes,
        log: silentLog(),
      })
      const serving = new AbortController()
      atEnd(() => {
        serving.abort()
        relay.close()
      })
      const machine = net.machine(address)
      machine.line.delayMs = delayMs
      await machine.transports.listenTcp(11_010, relay.take, serving.signal)
      return { nodes: [`tcp://${address}:11010`], stunServers: ['8.8.8.1:3478', '8.8.8.2:3478'] }
    },
    /** Stops all, the last first, and sees that nothing is left after so long. */
    async close(ms = 1000) {
      for (const stop of closings) await stop()
      await clock.advance(ms)
      assert.equal([net.leaks(), clock.timers], [[], 0])
    },
  }
}
