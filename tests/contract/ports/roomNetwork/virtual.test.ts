import { randomBytes } from 'node:crypto'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { createRelay } from '#core/easytier/relay/relay'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { silentLog } from '#support/values/testLog'
import { createVirtualNet, type VirtualMachine } from '#support/virtualNet/virtualNet'
import { roomNetworkSuite } from './roomNetworkSuite'

const traits = { seesEveryHost: true, bulk: 2 * 1024 * 1024, searchMs: 55_000 }

roomNetworkSuite('our own, between houses, on a network in memory', traits, async () => {
  const clock = createSystemClock()
  const random = (size: number) => new Uint8Array(randomBytes(size))
  const net = createVirtualNet({ clock, random: Math.random, delayMs: 1 })
  const log = silentLog()
  const limits = { networks: 10, membersPerNetwork: 64, connectionsPerAddress: 64, bytesPerSecond: 1e9 }
  const relay = createRelay({ hostname: 'test', version: '0', clock, log, randomBytes: random, limits })
  const stopping = new AbortController()
  await net.machine('9.9.9.9').transports.listenTcp(11_010, relay.take, stopping.signal)
  const machines: VirtualMachine[] = []
  return {
    roomNetwork() {
      const machine = net.machine(`10.1.${machines.length}.2`)
      machines.push(machine)
      return testRoomNetwork({
        transports: machine.transports,
        nodes: ['tcp://9.9.9.9:11010'],
        clock,
        log,
        randomBytes: random,
      })
    },
    line: {
      cut: async () => machines[0]?.setOnline(false),
      heal: async () => machines[0]?.setOnline(true),
    },
    leaks: () => net.leaks().filter((leak) => !leak.startsWith('9.9.9.9: 1 listeners')),
    async close() {
      relay.close()
      stopping.abort()
    },
  }
})
