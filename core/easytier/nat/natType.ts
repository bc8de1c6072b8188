import { type Endpoint, formatEndpoint } from '../wire/socketAddress'

/** How a router maps ports; the numbers are those in records. */
export const natTypes = {
  unknown: 0,
  openInternet: 1,
  noPat: 2,
  fullCone: 3,
  restricted: 4,
  portRestricted: 5,
  symmetric: 6,
  symmetricUdpFirewall: 7,
  symmetricEasyIncreasing: 8,
  symmetricEasyDecreasing: 9,
} as const

export type NatType = (typeof natTypes)[keyof typeof natTypes]

/** Unknown numbers count as unknown. */
export function natTypeOf(value: number): NatType {
  return Object.values(natTypes).find((type) => type === value) ?? natTypes.unknown
}

/** Whether the router uses another port for every target. Unknown counts as not: trying costs little. */
export function isSymmetric(type: NatType): boolean {
  return type >= natTypes.symmetric
}

/** Ports of a predictable router are at most this far apart. */
const PREDICTABLE_SPREAD = 15
const PREDICTABLE_STEP = 100

/**
 * Our own UDP type, from the public addresses that several STUN servers reported for one socket.
 * @param seen one address for each server that answered
 * @param own the machine's addresses
 * @param portOfSecondSocket the public port of a socket that was opened after that; used only where types 8 and 9 are
 * possible
 */
export function udpNatType(
  seen: readonly Endpoint[],
  own: readonly string[],
  portOfSecondSocket?: number,
): NatType {
  const [first] = seen
  if (first === undefined || seen.length < 2) return natTypes.unknown
  if (isOne(seen.map(formatEndpoint)))
    return own.includes(first.address) ? natTypes.openInternet : natTypes.portRestricted
  if (!arePortsClose(seen) || portOfSecondSocket === undefined) return natTypes.symmetric
  const ports = seen.map(({ port }) => port)
  const lowest = Math.min(...ports)
  const highest = Math.max(...ports)
  if (isStep(portOfSecondSocket - highest)) return natTypes.symmetricEasyIncreasing
  if (isStep(lowest - portOfSecondSocket)) return natTypes.symmetricEasyDecreasing
  return natTypes.symmetric
}

/** Whether a router with another port for every target may be a predictable one, which a second socket decides. */
export function arePortsClose(seen: readonly Endpoint[]): boolean {
  const ports = seen.map(({ port }) => port)
  const isNear = Math.max(...ports) - Math.min(...ports) <= PREDICTABLE_SPREAD
  return isNear && isOne(seen.map(({ address }) => address))
}

/**
 * Our own TCP type, from the public addresses that two or more STUN servers reported for connections from one local
 * port.
 * @param localPort that port
 */
export function tcpNatType(seen: readonly Endpoint[], localPort: number): NatType {
  const [first] = seen
  if (first === undefined || seen.length < 2) return natTypes.unknown
  if (!isOne(seen.map(formatEndpoint))) return natTypes.symmetric
  return first.port === localPort ? natTypes.noPat : natTypes.fullCone
}

function isOne(values: readonly unknown[]): boolean {
  return new Set(values).size === 1
}

function isStep(distance: number): boolean {
  return distance >= 1 && distance < PREDICTABLE_STEP
}
