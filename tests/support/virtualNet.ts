import type { Carriers, PacketLink, UdpSocket } from '../../core/room/overlay/carriers'
import { type Endpoint, formatEndpoint } from '../../core/room/overlay/wire/socketAddr'
import type { Clock } from '../../core/room/ports'

export type VirtualNetOptions = {
  readonly clock: Clock
  /** From 0 up to 1; seeded where a run has to be repeated. */
  readonly random: () => number
  /** One way, in milliseconds. */
  delayMs?: number
  /** Of datagrams, 0 to 1. */
  loss?: number
  duplication?: number
  /** Additional delay of single datagrams, up to this. */
  jitterMs?: number
}

/** A network in memory: machines with one address each, TCP that keeps its order, UDP that need not arrive. */
export type VirtualNet = {
  readonly settings: Omit<VirtualNetOptions, 'clock' | 'random'>
  machine(address: string): VirtualMachine
  /** What is open anywhere. */
  leaks(): readonly string[]
}

export type VirtualMachine = {
  readonly address: string
  readonly carriers: Carriers
  /** Nothing gets in or out; TCP connections hang, as with a pulled cable. */
  setOnline(isOnline: boolean): void
  /** As a process that was killed: its TCP connections are closed for the others. */
  kill(): void
  networkChanged(): void
}

type TcpEnd = {
  readonly machine: Machine
  readonly link: PacketLink
  deliver(packet: Uint8Array): void
  shut(): void
}
type Machine = {
  readonly address: string
  isOnline: boolean
  readonly tcpListeners: Map<number, (link: PacketLink) => void>
  readonly udpSockets: Map<number, (bytes: Uint8Array, from: Endpoint) => void>
  readonly ends: Set<TcpEnd>
  readonly changeListeners: Set<() => void>
  readonly announced: Map<string, number>
  lastPort: number
}

export function createVirtualNet(options: VirtualNetOptions): VirtualNet {
  const { clock, random } = options
  const machines = new Map<string, Machine>()
  const delay = () => options.delayMs ?? 0

  return {
    settings: options,
    machine(address) {
      const machine: Machine = {
        ...{ address, isOnline: true, tcpListeners: new Map(), udpSockets: new Map(), ends: new Set() },
        ...{ changeListeners: new Set(), announced: new Map(), lastPort: 20_000 },
      }
      machines.set(address, machine)
      return {
        address,
        carriers: carriersOf(machine),
        setOnline(isOnline) {
          machine.isOnline = isOnline
        },
        kill() {
          for (const end of [...machine.ends]) end.link.close()
          machine.tcpListeners.clear()
          machine.udpSockets.clear()
          machine.announced.clear()
        },
        networkChanged() {
          for (const listener of machine.changeListeners) listener()
        },
      }
    },
    leaks: () =>
      [...machines.values()].flatMap(({ address, tcpListeners, udpSockets, ends }) => [
        ...(tcpListeners.size ? [`${address}: ${tcpListeners.size} listeners`] : []),
        ...(udpSockets.size ? [`${address}: ${udpSockets.size} UDP sockets`] : []),
        ...(ends.size ? [`${address}: ${ends.size} connections`] : []),
      ]),
  }

  function carriersOf(machine: Machine): Carriers {
    const freePort = () => {
      machine.lastPort += 1
      return machine.lastPort
    }
    return {
      resolve: async (host) => [host],
      dialTcp: (to, signal) => dialTcp(machine, to, freePort(), signal),
      dialWs: async () => {
        throw new Error('there is no ws here')
      },
      async listenTcp(port, onLink, signal) {
        if (signal.aborted) throw signal.reason
        const taken = port || freePort()
        machine.tcpListeners.set(taken, onLink)
        const closed = new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => {
            machine.tcpListeners.delete(taken)
            resolve()
          })
        })
        return { port: taken, closed }
      },
      openUdp: async (port) => openUdp(machine, port || freePort()),
      fetchText: async () => {
        throw new Error('there is no web here')
      },
      interfaceAddresses: () => [machine.address],
      onNetworkChange(listener) {
        machine.changeListeners.add(listener)
        return () => void machine.changeListeners.delete(listener)
      },
      lan: {
        announce: (key, port, signal) => {
          machine.announced.set(key, port)
          return until(signal).then(() => void machine.announced.delete(key))
        },
        async discover(key, onFound, signal) {
          const look = () => {
            for (const { address, announced } of machines.values()) {
              const port = announced.get(key)
              if (port !== undefined && sameLan(address, machine.address)) onFound({ address, port })
            }
            if (!signal.aborted) cancel = clock.after(1000, look)
          }
          let cancel = clock.after(delay(), look)
          await until(signal)
          cancel()
        },
      },
      stunTcp: async () => {
        throw new Error('there is no STUN here')
      },
    }
  }

  async function dialTcp(
    machine: Machine,
    to: Endpoint,
    localPort: number,
    signal: AbortSignal,
  ): Promise<PacketLink> {
    await pause(2 * delay(), signal)
    const target = machines.get(to.address)
    if (!machine.isOnline || !target?.isOnline) {
      await until(signal)
      throw signal.reason
    }
    const accept = target.tcpListeners.get(to.port)
    if (!accept) throw new Error('connection refused')
    const near = tcpEnd(machine, localPort, to)
    const far = tcpEnd(target, to.port, { address: machine.address, port: localPort })
    near.peer = far
    far.peer = near
    accept(far.end.link)
    return near.end.link
  }

  function tcpEnd(machine: Machine, localPort: number, remote: Endpoint) {
    let listener: ((packet: Uint8Array) => void) | undefined
    const early: Uint8Array[] = []
    let tellClosed = () => {}
    const closed = new Promise<void>((resolve) => {
      tellClosed = resolve
    })
    let lastAt = 0
    const state: { peer?: { end: TcpEnd }; end: TcpEnd } = {
      end: {
        machine,
        deliver(packet) {
          if (listener) listener(packet)
          else early.push(packet)
        },
        shut() {
          machine.ends.delete(state.end)
          tellClosed()
        },
        link: {
          ...{ carrier: 'tcp', remote, localPort, closed },
          send(packet) {
            const copy = packet.slice()
            carry(() => state.peer?.end.deliver(copy))
          },
          onPacket(next) {
            listener = next
            for (const packet of early.splice(0)) next(packet)
          },
          close() {
            if (!machine.ends.has(state.end)) return
            state.end.shut()
            carry(() => state.peer?.end.shut())
          },
        },
      },
    }
    machine.ends.add(state.end)
    return state

    /** In order, and held back while a cable is pulled. */
    function carry(act: () => void): void {
      const at = Math.max(clock.now() + delay() + random() * (options.jitterMs ?? 0), lastAt)
      lastAt = at
      const go = () => {
        const isThrough = machine.isOnline && (state.peer?.end.machine.isOnline ?? false)
        if (isThrough) act()
        else clock.after(200, go)
      }
      clock.after(at - clock.now(), go)
    }
  }

  function openUdp(machine: Machine, port: number): UdpSocket {
    let tellClosed = () => {}
    const closed = new Promise<void>((resolve) => {
      tellClosed = resolve
    })
    machine.udpSockets.set(port, () => {})
    return {
      ...{ port, closed },
      send(bytes, to) {
        const copy = bytes.slice()
        const times = random() < (options.duplication ?? 0) ? 2 : 1
        for (let time = 0; time < times; time += 1) {
          if (random() < (options.loss ?? 0) || !machine.isOnline) continue
          clock.after(delay() + random() * (options.jitterMs ?? 0), () => {
            const target = machines.get(to.address)
            if (target?.isOnline) target.udpSockets.get(to.port)?.(copy, { address: machine.address, port })
          })
        }
      },
      onDatagram(listener) {
        machine.udpSockets.set(port, listener)
      },
      close() {
        machine.udpSockets.delete(port)
        tellClosed()
      },
    }
  }

  async function pause(ms: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve)
      signal.addEventListener(
        'abort',
        () => {
          cancel()
          resolve()
        },
        { once: true },
      )
    })
    signal.throwIfAborted()
  }
}

/** Machines whose addresses begin alike are in one house. */
function sameLan(one: string, other: string): boolean {
  return one.replace(/\.\d+$/, '') === other.replace(/\.\d+$/, '')
}

function until(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

export function remoteOf(link: PacketLink): string {
  return formatEndpoint(link.remote)
}
