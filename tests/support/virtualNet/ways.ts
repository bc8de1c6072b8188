import { type Endpoint, formatEndpoint } from '@lantern-room/easytier/wire'
import type { Protocol } from './router'
import { type LineSettings, type Machine, pairKey, type World } from './world'

/** A packet that has left its machine and, with it, the house. */
export type Departure = {
  readonly protocol: Protocol
  /** As the other side sees the sender. */
  readonly from: Endpoint
  readonly to: Endpoint
  /** A machine of the same house. */
  readonly inside: Machine | undefined
}

export type Arrival = { readonly machine: Machine; readonly port: number }

/** How long a packet takes between two machines of one house. */
const INSIDE_MS = 0.5

/** @returns undefined when it does not get out of the house */
export function depart(
  world: World,
  machine: Machine,
  protocol: Protocol,
  port: number,
  to: Endpoint,
): Departure | undefined {
  if (to.address.includes(':')) return departByIpv6(world, machine, protocol, port, to)
  const { houses } = world
  const { house, address } = machine
  const from = { address, port }
  if (!house) return { protocol, from, to, inside: undefined }
  const inside = house.machines.get(to.address)
  if (inside) return { protocol, from, to, inside }
  if (protocol === 'udp' && house.blocksUdp) return undefined
  const isHairpin = houses.get(to.address) === house
  if (isHairpin && !house.isHairpin) return undefined
  if (house.router.nat === 'open') return { protocol, from, to, inside: undefined }
  const mapped = { address: house.publicAddress, port: house.router.leave(protocol, from, to) }
  return { protocol, from: mapped, to, inside: undefined }
}

function departByIpv6(
  { ipv6 }: World,
  { ipv6: address, house }: Machine,
  protocol: Protocol,
  port: number,
  to: Endpoint,
): Departure | undefined {
  if (address === undefined || (house?.blocksUdp && protocol === 'udp')) return undefined
  const from = { address, port }
  const there = ipv6.get(to.address)
  house?.asked.add(askedKey(protocol, from, to))
  return { protocol, from, to, inside: there?.house === house ? there : undefined }
}

/** By IPv6 a firewall alone is in the way. */
function arriveByIpv6({ ipv6 }: World, { protocol, from, to }: Departure): Arrival | undefined {
  const machine = ipv6.get(to.address)
  const isAsked = !machine?.house || machine.house.asked.has(askedKey(protocol, to, from))
  return machine && isAsked ? { machine, port: to.port } : undefined
}

function askedKey(protocol: Protocol, own: Endpoint, other: Endpoint): string {
  return `${protocol} ${formatEndpoint(own)} ${formatEndpoint(other)}`
}

/** Where it is let in; undefined when nobody is there, or a router is in the way. */
export function arrive(world: World, departure: Departure): Arrival | undefined {
  const { protocol, from, to, inside } = departure
  if (inside) return { machine: inside, port: to.port }
  if (to.address.includes(':')) return arriveByIpv6(world, departure)
  const place = world.places.get(to.address)
  if (place)
    return protocol === 'udp' && place.house?.blocksUdp ? undefined : { machine: place, port: to.port }
  const house = world.houses.get(to.address)
  if (!house || (protocol === 'udp' && house.blocksUdp)) return undefined
  const at = house.router.enter(protocol, to.port, from)
  const machine = at && house.machines.get(at.address)
  return machine && { machine, port: at.port }
}

/** Whom a packet will reach if it is let in. */
export function expected(
  { places, houses, ipv6 }: World,
  { protocol, to, inside }: Departure,
): Machine | undefined {
  const house = houses.get(to.address)
  const owner = house?.router.ownerOf(protocol, to.port)
  return (
    inside ?? places.get(to.address) ?? ipv6.get(to.address) ?? (owner && house?.machines.get(owner.address))
  )
}

/** What the way from one machine to another does, all its parts together. */
export function lineBetween(world: World, one: Machine, other: Machine | undefined): Required<LineSettings> {
  const { house } = one
  if (other && house && house === other.house) {
    return { ...CLEAR, delayMs: INSIDE_MS, isCut: world.links.get(pairKey(one, other))?.isCut ?? false }
  }
  const sum = { ...CLEAR }
  add(sum, world.line)
  add(sum, one.line)
  if (house) add(sum, house.line)
  if (!other) return sum
  add(sum, other.line)
  if (other.house) add(sum, other.house.line)
  const link = world.links.size > 0 ? world.links.get(pairKey(one, other)) : undefined
  if (link) add(sum, link)
  return sum
}

const CLEAR: Required<LineSettings> = { delayMs: 0, loss: 0, duplication: 0, jitterMs: 0, isCut: false }

function add(sum: Required<LineSettings>, part: LineSettings): void {
  sum.delayMs += part.delayMs ?? 0
  sum.jitterMs += part.jitterMs ?? 0
  sum.loss = 1 - (1 - sum.loss) * (1 - (part.loss ?? 0))
  sum.duplication = Math.max(sum.duplication, part.duplication ?? 0)
  sum.isCut ||= part.isCut ?? false
}
