import { isLoopbackAddress } from '@lantern-room/base/network'
import type { Peer } from '../peer/peer'
import type { Transports } from '../transport/transports'
import { parseIpv6 } from '../wire/addresses'
import { rpcMethods } from '../wire/messages'
import { type Endpoint, type NodeUrl, toParts, toSocketAddr } from '../wire/socketAddress'
import { type OwnReach, reachableIpv6 } from './listenerList'

export type PunchRequestOptions = {
  readonly peer: Peer
  readonly transports: Pick<Transports, 'interfaceAddresses'>
  readonly reach: () => OwnReach
}

const CALL_MS = 3000
/** Our IPv6 addresses that a member is asked to write to. */
const MAX_PUNCHED_IPV6 = 4

/**
 * A firewall lets our datagrams in once the member has sent something to us. Older programs refuse the call, so nothing
 * waits for its answer.
 */
export function requestPunches(
  { peer, transports, reach }: PunchRequestOptions,
  peerId: number,
  urls: readonly NodeUrl[],
): void {
  const ofUdp = urls.filter(({ scheme }) => scheme === 'udp')
  const { ports, publicSocket: from, publicIpv6 } = reach()
  if (from && !isLoopbackAddress(from.address)) {
    for (const { port } of distinctPorts(ofUdp)) requestPunch(peer, peerId, port, [from])
  }
  if (ports === undefined) return
  const endpoints = ipv6Endpoints(publicIpv6, transports.interfaceAddresses(), ports.udp)
  const ofIpv6 = ofUdp.filter(({ host }) => host.includes(':'))
  // Programs up to EasyTier 2.6 read the first endpoint only.
  const [, ...others] = endpoints
  for (const { port } of distinctPorts(ofIpv6)) {
    for (const endpoint of others) requestPunch(peer, peerId, port, [endpoint])
  }
  if (endpoints.length === 0) return
  for (const { host, port } of ofIpv6) requestPunch(peer, peerId, port, endpoints, host)
}

/**
 * The IPv6 addresses under which a member may see our socket: the one that servers report, or any of our own, since the
 * system may choose another one for this member.
 */
function ipv6Endpoints(
  mapped: Endpoint | undefined,
  addresses: readonly string[],
  port: number,
): readonly Endpoint[] {
  const own = reachableIpv6(addresses).filter(
    (address) => address !== mapped?.address || port !== mapped.port,
  )
  const all = [...(mapped ? [mapped] : []), ...own.map((address) => ({ address, port }))]
  return all.slice(0, MAX_PUNCHED_IPV6)
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
