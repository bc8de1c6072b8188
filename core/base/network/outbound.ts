import { isReachableAddress, isSiteAddress, kindOfAddress } from './addressRanges'

/** Decides to which machines this program connects, by who has named them. @see docs/decisions.md, D155 */

/** Who has named an address. */
export type Origin =
  /** The user of this machine: in the settings, in a request, or as the first address of a list. The program's own defaults, too. */
  | 'typed'
  /** An invitation, an entry of a list, a redirect, a name server. */
  | 'others'
  /** A member of the room, which tells where it listens. */
  | 'member'
  /** A machine of the LAN that announces its own listener: the address is the sender's. */
  | 'announcer'
  /** A router that has answered from this address, and describes itself. */
  | 'router'

/** How a connection is made. */
export type OutboundScheme = 'tcp' | 'udp' | 'ws' | 'wss' | 'http' | 'https'

/** What this machine knows of itself. */
export type OwnMachine = {
  /** Whether an IP address is one of this machine's interfaces; loopback needs not be among them. */
  isOwnAddress(address: string): boolean
  /** Whether a name is this machine's own. */
  isOwnName(name: string): boolean
  /** Whether an IP address lies in a subnet that members may use. */
  isOnOwnSubnet(address: string): boolean
}

/** A connection that is about to be made. */
export type Outbound = {
  readonly origin: Origin
  readonly scheme: OutboundScheme
  /** As it was named: a name, or an address. */
  readonly host: string
  readonly port: number
  /** With its query; `/` or nothing where there is none. */
  readonly path: string
  readonly hasUserInfo?: boolean
  /** The IP address that the host stands for. */
  readonly address: string
}

export type RefusalReason =
  | 'this-machine'
  | 'no-machine'
  | 'private'
  | 'path'
  | 'user-info'
  | 'elsewhere'
  | 'port'

const TEXTS: Readonly<Record<RefusalReason, string>> = {
  'this-machine': 'it leads to {address}, which is this computer itself',
  'no-machine': 'it leads to {address}, which is no address of another computer',
  private: 'it leads by {scheme} to {address} in a private network, where others may name tcp and udp only',
  path: 'a {scheme} address that others name has no path and no query',
  'user-info': 'an address that others name has no user name',
  elsewhere: 'it leads to {address}, which is in no network of this computer',
  port: 'it leads to port {port}, which is one of services',
}

const REMEDY = 'Have it corrected, or name a shared node yourself'

/**
 * An address is not asked. The message is a few words for a player, with what to do.
 * @example if (error instanceof OutboundRefusal) log.info('an address is not asked', { reason: error.reason })
 */
export class OutboundRefusal extends Error {
  readonly reason: RefusalReason

  constructor(reason: RefusalReason, { address, scheme, port }: Outbound) {
    const values: Readonly<Record<string, string>> = { address, scheme, port: String(port) }
    const text = TEXTS[reason].replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
    super(`not asked: ${text}. ${REMEDY}`)
    this.name = 'OutboundRefusal'
    this.reason = reason
  }
}

/** Below are the ports of services; members listen, and routers map, above. */
export const LOWEST_PORT = 1024

/**
 * Whether a connection may be made. It is to be asked for the address that is then connected to, after each redirect anew.
 * @returns undefined when it may
 * @example const refusal = refusalOf({ origin: 'others', scheme, host, port, path, address }, machine)
 */
export function refusalOf(outbound: Outbound, machine: OwnMachine): OutboundRefusal | undefined {
  const reason = RULES[outbound.origin](outbound, machine)
  return reason && new OutboundRefusal(reason, outbound)
}

type Rule = (outbound: Outbound, machine: OwnMachine) => RefusalReason | undefined

const RULES: Readonly<Record<Origin, Rule>> = {
  typed: reasonOfTyped,
  others: reasonOfOthers,
  member: reasonOfMember,
  announcer: reasonOfAnnouncer,
  router: reasonOfRouter,
}

/**
 * What was typed as a number works as it always did. A name is answered by a name server, and leads to this machine only where it is
 * the machine's own.
 */
function reasonOfTyped(outbound: Outbound, { isOwnName }: OwnMachine): RefusalReason | undefined {
  const { host } = outbound
  const isOwn = /^(.+\.)?localhost\.?$/i.test(host) || isOwnName(host)
  return isOwn || isNumber(host) ? undefined : reasonOfKind(outbound)
}

/** An address of this machine in its network is one that others see, too: by tcp and udp it is as any of that network. */
function reasonOfOthers(outbound: Outbound, machine: OwnMachine): RefusalReason | undefined {
  const { scheme, path, hasUserInfo, address } = outbound
  if (hasUserInfo) return 'user-info'
  if ((scheme === 'ws' || scheme === 'wss') && path !== '' && path !== '/') return 'path'
  const reason = reasonOfKind(outbound)
  if (reason !== undefined || scheme === 'tcp' || scheme === 'udp') return reason
  if (machine.isOwnAddress(address)) return 'this-machine'
  return kindOfAddress(address) === 'private' ? 'private' : undefined
}

/** A single machine, given as a number, on the internet or in a subnet of ours. */
function reasonOfMember({ host, port }: Outbound, { isOnOwnSubnet }: OwnMachine): RefusalReason | undefined {
  if (port < LOWEST_PORT) return 'port'
  if (isReachableAddress(host)) return isSiteAddress(host) && !isOnOwnSubnet(host) ? 'elsewhere' : undefined
  // A machine without a network has no other subnet than its own.
  return host === '127.0.0.1' && isOnOwnSubnet(host) ? undefined : 'no-machine'
}

/** Multicast DNS is of one link (RFC 6762, 11), but the address of its sender can be forged. */
function reasonOfAnnouncer(outbound: Outbound, machine: OwnMachine): RefusalReason | undefined {
  const { address, port } = outbound
  if (port < LOWEST_PORT) return 'port'
  // Other programs of this machine. Systems drop what comes from outside under such an address.
  if (isThisMachine(address, machine)) return undefined
  if (!machine.isOnOwnSubnet(address)) return 'elsewhere'
  // Two machines that are joined by a cable give themselves such addresses.
  return kindOfAddress(address) === 'link-local' ? undefined : reasonOfKind(outbound)
}

function reasonOfRouter(outbound: Outbound, machine: OwnMachine): RefusalReason | undefined {
  const { scheme, host, hasUserInfo, address } = outbound
  if (hasUserInfo) return 'user-info'
  if (scheme !== 'http' || !isNumber(host)) return 'no-machine'
  if (isThisMachine(address, machine)) return 'this-machine'
  return reasonOfKind(outbound) ?? (machine.isOnOwnSubnet(address) ? undefined : 'elsewhere')
}

function reasonOfKind({ address }: Outbound): RefusalReason | undefined {
  const kind = kindOfAddress(address)
  if (kind === 'loopback' || kind === 'unspecified') return 'this-machine'
  return kind === 'public' || kind === 'private' ? undefined : 'no-machine'
}

function isNumber(host: string): boolean {
  return kindOfAddress(host) !== undefined
}

/**
 * Whether an IP address is this machine's, also as another program of it sees it.
 * @example isThisMachine('127.0.0.1', machine) // true on every machine
 */
export function isThisMachine(address: string, { isOwnAddress }: Pick<OwnMachine, 'isOwnAddress'>): boolean {
  return kindOfAddress(address) === 'loopback' || isOwnAddress(address)
}

/** Marks every web request that this program makes at an address that others may have chosen. */
const MARK = 'x-lantern-room-outgoing'

/** The headers that every web request of this program carries where others may have chosen the address. */
export const OUTGOING_HEADERS: Readonly<Record<string, string>> = { [MARK]: '1' }

/**
 * Whether a request has been led back to a service of this program, in this process or another one. Clients never send the mark.
 * @param headers by their names in lower case, as Node has them
 * @example if (isOutgoing(request.headers)) return refuse(response)
 */
export function isOutgoing(headers: Readonly<Record<string, unknown>>): boolean {
  return headers[MARK] !== undefined
}
