import type { Clock } from '@lantern-room/base/async'
import type { Connection } from '@lantern-room/easytier/transport'
import type { Endpoint } from '@lantern-room/easytier/wire'
import type { Router } from './router'

/** What a way does to packets; all of a way's parts together count. */
export type LineSettings = {
  /** One way, in milliseconds. */
  delayMs?: number
  /** Of datagrams, 0 to 1. TCP loses nothing, but what is lost on the way arrives late and holds up what follows. */
  loss?: number
  duplication?: number
  /** Additional delay of single datagrams, up to this. */
  jitterMs?: number
  /** Nothing passes; TCP waits. */
  isCut?: boolean
}

/** What the parts of a virtual network know of each other. */
export type World = {
  readonly clock: Clock
  /** From 0 up to 1. */
  readonly random: () => number
  readonly line: LineSettings
  readonly machines: Set<Machine>
  /** Machines that are on the internet themselves, by address. */
  readonly places: Map<string, Machine>
  /** Machines with an address of IPv6, by that address. */
  readonly ipv6: Map<string, Machine>
  /** Houses behind a router, by their public address. */
  readonly houses: Map<string, House>
  /** Between two machines, by `pairKey`. */
  readonly links: Map<string, LineSettings>
}

export type House = {
  publicAddress: string
  readonly router: Router
  /** By address inside. */
  readonly machines: Map<string, Machine>
  readonly line: LineSettings
  blocksUdp: boolean
  /** Whom its machines have written to over IPv6, and from which port: only that is let in. */
  readonly asked: Set<string>
  /** Whether its machines reach each other by the public address. */
  readonly isHairpin: boolean
}

export type Machine = {
  readonly name: number
  address: string
  /** Its address of IPv6, which is not translated. */
  ipv6: string | undefined
  /** Undefined for who is on the internet itself. */
  house: House | undefined
  isOnline: boolean
  readonly line: LineSettings
  /** The program that uses the network now. */
  process: Process
  /** Ports at which it answers STUN. */
  readonly stunPorts: Set<number>
}

/** A program's part of the network: it ends with `kill`, and then neither says nor hears anything. */
export type Process = {
  isAlive: boolean
  readonly tcpListeners: Map<number, (link: Connection) => void>
  readonly dials: Set<Dial>
  readonly udpSockets: Map<number, (bytes: Uint8Array, from: Endpoint) => void>
  readonly ends: Set<TcpEnd>
  readonly changeListeners: Set<() => void>
  readonly announced: Map<string, number>
  lastPort: number
}

/** A TCP connection that is being opened. */
export type Dial = {
  readonly machine: Machine
  readonly process: Process
  readonly localPort: number
  readonly to: Endpoint
  isOver(): boolean
  succeed(link: Connection): void
}

export type TcpEnd = {
  readonly machine: Machine
  readonly process: Process
  readonly link: Connection
  /** Whether the connection leaves a house: a router that forgets ends it, silently. */
  readonly isInside: boolean
  peer: TcpEnd | undefined
  isSevered: boolean
  deliver(packet: Uint8Array): void
  shut(): void
}

export function newProcess(lastPort = 20_000): Process {
  return {
    isAlive: true,
    tcpListeners: new Map(),
    dials: new Set(),
    udpSockets: new Map(),
    ends: new Set(),
    changeListeners: new Set(),
    announced: new Map(),
    lastPort,
  }
}

export function freePort(process: Process): number {
  process.lastPort += 1
  return process.lastPort
}

export function pairKey(one: Machine, other: Machine): string {
  return `${Math.min(one.name, other.name)} ${Math.max(one.name, other.name)}`
}
