import { createRelay } from '@lantern-room/easytier'
import { createUdpTransport } from '@lantern-room/easytier/transport'
import type { VirtualMachine } from '#support/virtualNet/virtualNet'
import { RELAY_PORT, relayAddress, type SimulationContext } from './simulationContext'

/** A shared node that can be ended and started again. */
export type RelayServer = {
  readonly machine: VirtualMachine
  start(): Promise<void>
  /** @param isPowerLoss nobody is told; otherwise connections are closed */
  crash(isPowerLoss: boolean): void
  check(): void
  /** What members have left behind in it. */
  readonly leftovers: readonly string[]
}

const LIMITS = { networks: 10, membersPerNetwork: 64, connectionsPerAddress: 64, bytesPerSecond: 1e9 }

export function createRelayServer(place: SimulationContext, index: number): RelayServer {
  const { net, clock, trace, chance, scenario } = place
  const machine = net.machine(relayAddress(index))
  const plan = scenario.relays[index]
  Object.assign(machine.line, plan?.line)
  let run = 0
  let relay: ReturnType<typeof createRelay> | undefined
  let stopping = new AbortController()

  return {
    machine,
    async start() {
      if (relay) return
      run += 1
      const name = `relay${index}/${run}`
      const randomBytes = chance.fork(name).bytes
      const own = createRelay({
        hostname: `relay${index}`,
        version: '0',
        limits: LIMITS,
        clock,
        randomBytes,
        log: trace.log(name),
      })
      relay = own
      stopping = new AbortController()
      const { signal } = stopping
      await machine.transports.listenTcp(RELAY_PORT, own.take, signal)
      const socket = await machine.transports.openUdp(RELAY_PORT)
      const udp = createUdpTransport({ socket, clock, randomBytes })
      udp.accept(own.take)
      signal.addEventListener('abort', udp.close)
    },
    crash(isPowerLoss) {
      if (isPowerLoss) machine.setOnline(false)
      machine.kill()
      machine.setOnline(true)
      stopping.abort()
      relay?.close()
      relay = undefined
    },
    check() {
      const { members = 0, connections = 0, networks = 0 } = relay?.counters() ?? {}
      const isOver =
        members > LIMITS.membersPerNetwork * LIMITS.networks ||
        networks > LIMITS.networks ||
        connections > 1024
      if (isOver)
        trace.violate(`relay${index}: ${networks} rooms, ${members} members, ${connections} connections`)
    },
    get leftovers() {
      const { networks = 0, connections = 0 } = relay?.counters() ?? {}
      return networks + connections > 0
        ? [`relay${index}: ${networks} rooms, ${connections} connections`]
        : []
    },
  }
}
