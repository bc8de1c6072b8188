import { untilAborted } from '@lantern-room/base/async'
import { isInSubnet } from '@lantern-room/base/network'
import type { LanDiscovery, Transports } from '@lantern-room/easytier/transport'
import { dialTcp, stunTcp } from './tcp'
import { openUdp } from './udp'
import { freePort, type Machine, type Process, type World } from './world'

const LOOK_AGAIN_MS = 1000

/** The network as one program on a machine sees it. */
export function carriersOf(world: World, machine: Machine, process: Process): Transports {
  return {
    resolve: async (host) => [host],
    dialTcp: (to, signal, from) =>
      dialTcp(world, { machine, process, localPort: from?.localPort ?? freePort(process) }, to, signal),
    dialWs: async () => {
      throw new Error('there is no ws here')
    },
    async listenTcp(port, onLink, signal) {
      if (signal.aborted) throw signal.reason
      const taken = port || freePort(process)
      if (process.tcpListeners.has(taken)) throw new Error(`TCP port ${taken} is taken`)
      process.tcpListeners.set(taken, onLink)
      signal.addEventListener('abort', () => process.tcpListeners.delete(taken), { once: true })
      return { port: taken, closed: untilAborted(signal) }
    },
    openUdp: async (port) => openUdp(world, machine, process, port || freePort(process)),
    fetchText: async () => {
      throw new Error('there is no web here')
    },
    interfaceAddresses: () => [machine.address, ...(machine.ipv6 === undefined ? [] : [machine.ipv6])],
    machine: {
      isOwnAddress: (address) => address === machine.address,
      isOwnName: () => false,
      isOnOwnSubnet: (address) => isInSubnet(address, `${machine.address}/24`),
    },
    onNetworkChange(listener) {
      process.changeListeners.add(listener)
      return () => void process.changeListeners.delete(listener)
    },
    lan: lanOf(world, machine, process),
    stunTcp: (server, localPort, signal) => stunTcp(world, machine, process, localPort, server, signal),
  }
}

function lanOf({ clock, machines, line }: World, machine: Machine, process: Process): LanDiscovery {
  return {
    announce(key, port, signal) {
      process.announced.set(key, port)
      return untilAborted(signal).then(() => void process.announced.delete(key))
    },
    async discover(key, onFound, signal) {
      const look = () => {
        if (signal.aborted) return
        for (const other of machines) {
          const port = other.process.announced.get(key)
          const isHeard = port !== undefined && process.isAlive && other.isOnline && machine.isOnline
          if (isHeard && areNear(other, machine)) onFound({ address: other.address, port })
        }
        cancel = clock.after(LOOK_AGAIN_MS, look)
      }
      let cancel = clock.after(line.delayMs ?? 0, look)
      await untilAborted(signal)
      cancel()
    },
  }
}

/** In one house: behind one router, or with addresses that begin alike. */
function areNear(one: Machine, other: Machine): boolean {
  if (one.house || other.house) return one.house === other.house
  return one.address.replace(/\.\d+$/, '') === other.address.replace(/\.\d+$/, '')
}
