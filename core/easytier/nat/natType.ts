import { type Endpoint, formatEndpoint } from '../wire/socketAddress'

/** How a router maps ports, with the numbers of peer records. */
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

/** The type that a peer record tells; `unknown` for numbers that are not listed. */
export function natTypeOf(value: number): NatType {
  return Object.values(natTypes).find((type) => type === value) ?? natTypes.unknown
}

/**
 * Whether the router maps each target to another port. Not so for unknown types, where an attempt costs little.
 * @example
 * const isHard = isSymmetric(network.natType())
 */
export function isSymmetric(type: NatType): boolean {
  return type >= natTypes.symmetric
}

/** The ports of a predictable router: the largest spread for one socket, and the distance to the next socket. */
const PREDICTABLE_SPREAD = 15
const PREDICTABLE_STEP = 100

/**
 * The UDP type, from what several STUN servers report of one socket.
 * @param mapped the public address in each answer
 * @param own the machine's addresses
 * @param portOfSecondSocket the public port of a socket that was opened later; needed for types 8 and 9 only
 */
export function udpNatType(
  mapped: readonly Endpoint[],
  own: readonly string[],
  portOfSecondSocket?: number,
): NatType {
  const [first] = mapped
  if (first === undefined || mapped.length < 2) return natTypes.unknown
  if (areEqual(mapped.map(formatEndpoint)))
    return own.includes(first.address) ? natTypes.openInternet : natTypes.portRestricted
  if (!arePortsClose(mapped) || portOfSecondSocket === undefined) return natTypes.symmetric
  const ports = mapped.map(({ port }) => port)
  const lowest = Math.min(...ports)
  const highest = Math.max(...ports)
  if (isStep(portOfSecondSocket - highest)) return natTypes.symmetricEasyIncreasing
  if (isStep(lowest - portOfSecondSocket)) return natTypes.symmetricEasyDecreasing
  return natTypes.symmetric
}

/** Whether a symmetric router may be a predictable one, which a second socket shows. */
export function arePortsClose(mapped: readonly Endpoint[]): boolean {
  const ports = mapped.map(({ port }) => port)
  const isNear = Math.max(...ports) - Math.min(...ports) <= PREDICTABLE_SPREAD
  return isNear && areEqual(mapped.map(({ address }) => address))
}

/**
 * The TCP type, from what two or more STUN servers report of connections from one local port.
 * @param mapped the public address in each answer
 */
export function tcpNatType(mapped: readonly Endpoint[], localPort: number): NatType {
  const [first] = mapped
  if (first === undefined || mapped.length < 2) return natTypes.unknown
  if (!areEqual(mapped.map(formatEndpoint))) return natTypes.symmetric
  return first.port === localPort ? natTypes.noPat : natTypes.fullCone
}

function areEqual(values: readonly unknown[]): boolean {
  return new Set(values).size === 1
}

function isStep(distance: number): boolean {
  return distance >= 1 && distance < PREDICTABLE_STEP
}
