import type { Clock } from '@lantern-room/base/async'
import type { Transports } from '@lantern-room/easytier/transport'
import { createRouter, type NatKind } from './router'
import { carriersOf } from './transports'
import {
  type House,
  type LineSettings,
  type Machine,
  newProcess,
  pairKey,
  type TcpEnd,
  type World,
} from './world'

export type { NatKind } from './router'
export type { LineSettings } from './world'

export type VirtualNetOptions = LineSettings & {
  readonly clock: Clock
  /** From 0 up to 1; seeded where a run has to be repeated. */
  readonly random: () => number
}

/** A network in memory: machines and houses behind routers, TCP that keeps its order, UDP that need not arrive. */
export type VirtualNet = {
  /** A machine on the internet itself. */
  machine(address: string): VirtualMachine
  house(options: HouseOptions): VirtualHouse
  /** The way between two machines, in addition to what they have of their own. */
  link(one: VirtualMachine, other: VirtualMachine): LineSettings
  /** What is open anywhere. */
  leaks(): readonly string[]
}

export type HouseOptions = {
  readonly publicAddress: string
  readonly nat: NatKind
  readonly blocksUdp?: boolean
  /** Whether its machines reach each other by the public address. Default: they do not. */
  readonly isHairpin?: boolean
}

export type VirtualHouse = {
  readonly publicAddress: string
  readonly nat: NatKind
  /** A machine inside. An open house has one, with the public address. @param address 192.168.x.2, .3, … by default */
  machine(address?: string): VirtualMachine
  readonly line: LineSettings
  setUdpBlocked(isBlocked: boolean): void
  /** The router forgets what it knew: connections that leave the house hang. @param publicAddress a new one */
  restart(publicAddress?: string): void
}

export type VirtualMachine = {
  /** Its own; inside a house that is not the one that others see. */
  readonly address: string
  /** Of the program that runs now: another after `kill`. */
  readonly transports: Transports
  readonly line: LineSettings
  /** Nothing gets in or out; TCP connections hang, as with a pulled cable. */
  setOnline(isOnline: boolean): void
  /**
   * Ends the program: its TCP connections are closed for the others (or hang, while it is offline), and it neither
   * says nor hears anything more.
   */
  kill(): void
  networkChanged(): void
  /** Into another house: what was connected hangs. Tells the program that something changed. */
  moveTo(house: VirtualHouse): void
  /** Adds an address of IPv6. Inside a house, the router lets in over it only what was asked for. */
  addIpv6(address: string): void
  /** Answers STUN at port 3478, by UDP and TCP, until the end. */
  serveStun(): void
}

export function createVirtualNet(options: VirtualNetOptions): VirtualNet {
  const { clock, random } = options
  const world: World = {
    clock,
    random,
    line: options,
    machines: new Set(),
    places: new Map(),
    ipv6: new Map(),
    houses: new Map(),
    links: new Map(),
  }
  const inner = new Map<VirtualMachine, Machine>()
  const houses = new Map<VirtualHouse, House>()

  return {
    machine: (address) => add(address, undefined),
    house: addHouse,
    link(one, other) {
      const [first, second] = [inner.get(one), inner.get(other)]
      if (!first || !second) throw new Error('no machine of this network')
      const key = pairKey(first, second)
      const known = world.links.get(key) ?? {}
      world.links.set(key, known)
      return known
    },
    leaks: () =>
      [...world.machines].flatMap(({ address, process: { tcpListeners, udpSockets, ends } }) => [
        ...(tcpListeners.size ? [`${address}: ${tcpListeners.size} listeners`] : []),
        ...(udpSockets.size ? [`${address}: ${udpSockets.size} UDP sockets`] : []),
        ...(ends.size ? [`${address}: ${ends.size} connections`] : []),
      ]),
  }

  function add(address: string, house: House | undefined): VirtualMachine {
    const machine: Machine = {
      name: world.machines.size,
      address,
      ipv6: undefined,
      house,
      isOnline: true,
      line: {},
      process: newProcess(),
      stunPorts: new Set(),
    }
    world.machines.add(machine)
    settle(machine)
    let transports = carriersOf(world, machine, machine.process)
    const shown: VirtualMachine = {
      get address() {
        return machine.address
      },
      get transports() {
        return transports
      },
      line: machine.line,
      setOnline(isOnline) {
        machine.isOnline = isOnline
      },
      kill() {
        const { process } = machine
        for (const end of [...process.ends]) {
          if (machine.isOnline) end.link.close()
          else sever(end.machine, (one) => one === end)
          end.shut()
        }
        process.isAlive = false
        machine.process = newProcess(process.lastPort)
        transports = carriersOf(world, machine, machine.process)
      },
      networkChanged() {
        for (const listener of [...machine.process.changeListeners]) listener()
      },
      moveTo(next) {
        leave(machine)
        machine.house = houses.get(next)
        if (machine.house) machine.address = freeAddress(machine.house)
        settle(machine)
        sever(machine, () => true)
        shown.networkChanged()
      },
      addIpv6(own) {
        machine.ipv6 = own
        world.ipv6.set(own, machine)
      },
      serveStun: () => void machine.stunPorts.add(3478),
    }
    inner.set(shown, machine)
    return shown
  }

  function addHouse({
    publicAddress,
    nat,
    blocksUdp = false,
    isHairpin = false,
  }: HouseOptions): VirtualHouse {
    const house: House = {
      publicAddress,
      blocksUdp,
      isHairpin,
      asked: new Set(),
      machines: new Map(),
      line: {},
      router: createRouter(nat, clock, random),
    }
    if (nat !== 'open') world.houses.set(publicAddress, house)
    const shown: VirtualHouse = {
      nat,
      line: house.line,
      get publicAddress() {
        return house.publicAddress
      },
      machine: (address) => add(address ?? freeAddress(house), house),
      setUdpBlocked(isBlocked) {
        house.blocksUdp = isBlocked
      },
      restart(next = house.publicAddress) {
        for (const machine of house.machines.values()) sever(machine, ({ isInside }) => !isInside)
        house.router.forget()
        house.asked.clear()
        if (nat === 'open' || next === house.publicAddress) return
        world.houses.delete(house.publicAddress)
        house.publicAddress = next
        world.houses.set(next, house)
      },
    }
    houses.set(shown, house)
    return shown
  }

  function settle(machine: Machine): void {
    const { house, address } = machine
    if (!house || house.router.nat === 'open') world.places.set(address, machine)
    if (house) house.machines.set(address, machine)
  }

  function leave({ house, address }: Machine): void {
    if (!house || house.router.nat === 'open') world.places.delete(address)
    house?.machines.delete(address)
  }

  /** Each house has a network of its own, which may be the same as another's. */
  function freeAddress({ router, publicAddress, machines }: House): string {
    if (router.nat === 'open') return publicAddress
    const [, , third, fourth] = publicAddress.split('.')
    let last = 2
    const address = () => `192.168.${(Number(third) * 16 + Number(fourth)) % 256}.${last}`
    while (machines.has(address())) last += 1
    return address()
  }
}

/** Silently: neither side hears of it. */
function sever(machine: Machine, isMeant: (end: TcpEnd) => boolean): void {
  for (const end of machine.process.ends) {
    if (!isMeant(end)) continue
    end.isSevered = true
    if (end.peer) end.peer.isSevered = true
  }
}
