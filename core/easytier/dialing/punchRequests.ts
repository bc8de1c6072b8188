import { isLoopbackAddress } from '#core/addressRanges'
import type { Peer } from '../peer/peer'
import type { Transports } from '../transport/transports'
import { parseIpv6 } from '../wire/addresses'
import { rpcMethods } from '../wire/messages'
import { type Endpoint, type NodeUrl, toParts, toSocketAddr } from '../wire/socketAddress'
import { reachableIpv6 } from './listenerList'

export type PunchRequestOptions = {
  readonly peer: Peer
  readonly transports: Pick<Transports, 'interfaceAddresses'>
  /** Ports of our listeners; undefined while there are none. */
  readonly listeners: () => { readonly tcp: number; readonly udp: number } | undefined
  /** The public address of our UDP socket; undefined where the router gives every destination another one. */
  readonly publicSocket: () => Endpoint | undefined
  /** The public IPv6 address of our UDP socket. */
  readonly publicIpv6?: () => Endpoint | undefined
}

const CALL_MS = 3000
/** Our IPv6 addresses that a member is asked to write to. */
const MAX_PUNCHED_IPV6 = 4

/**
 * A firewall lets our datagrams in once the member has sent something to us. Older programs refuse the call, so nothing
 * waits for its answer.
 */
export function requestPunches(options: PunchRequestOptions, peerId: number, urls: readonly NodeUrl[]): void {
  const ofUdp = urls.filter(({ scheme }) => scheme === 'udp')
  const from = options.publicSocket()
  if (from && !isLoopbackAddress(from.address)) {
    for (const { port } of distinctPorts(ofUdp)) requestPunch(options.peer, peerId, port, [from])
  }
  const own = options.listeners()
  if (own === undefined) return
  const endpoints = ipv6Endpoints(options, own.udp)
  const ofIpv6 = ofUdp.filter(({ host }) => host.includes(':'))
  // Programs up to EasyTier 2.6 read the first endpoint only.
  const [, ...others] = endpoints
  for (const { port } of distinctPorts(ofIpv6)) {
    for (const endpoint of others) requestPunch(options.peer, peerId, port, [endpoint])
  }
  if (endpoints.length === 0) return
  for (const { host, port } of ofIpv6) requestPunch(options.peer, peerId, port, endpoints, host)
}

/**
 * The IPv6 addresses under which a member may see our socket: the one that servers report, or any of our own, since the
 * system may choose another one for this member.
 */
function ipv6Endpoints({ publicIpv6, transports }: PunchRequestOptions, port: number): readonly Endpoint[] {
  const mapped = publicIpv6?.()
  const addresses = reachableIpv6(transports.interfaceAddresses())
  const own = addresses.filter((address) => address !== mapped?.address || port !== mapped.port)
  return [...(mapped ? [mapped] : []), ...own.map((address) => ({ address, port }))].slice(
    0,
    MAX_PUNCHED_IPV6,
  )
}

/** @param listener the address that we dial, from which the member is to write: it may have several */
function requestPunch(
  peer: Peer,
  peerId: number,
  listenerPort: number,
  from: readonly Endpoint[],
  listener?: string,
): void {
  const connectorAddrs = from.map(toSocketAddr)
  const [connectorAddr] = connectorAddrs
  const words = listener === undefined ? undefined : parseIpv6(listener)
  const preferredSrcIpv6 = words && toParts(words)
  const request = rpcMethods.sendUdpHolePunchPacket.request.encode({
    listenerPort,
    connectorAddrs,
    ...(connectorAddr && { connectorAddr }),
    ...(preferredSrcIpv6 && { preferredSrcIpv6 }),
  })
  peer.call(peerId, 'sendUdpHolePunchPacket', request, CALL_MS, () => {})
}

function distinctPorts(urls: readonly NodeUrl[]): readonly NodeUrl[] {
  return urls.filter(({ port }, at) => urls.findIndex((other) => other.port === port) === at)
}
