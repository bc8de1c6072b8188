import { isLoopbackAddress } from '#core/addressRanges'
import { onAbort } from '#core/async/onAbort'
import type { Log } from '#core/log'
import type { Peer } from '../peer/peer'
import type { Connection, PortMapping } from '../transport/transports'
import { rpcMethods } from '../wire/messages'
import { type Endpoint, formatNodeUrl, type NodeUrl, toSocketAddr } from '../wire/socketAddress'
import { type Dialling, dialNode } from './dialNode'
import { createDialTargets } from './dialTargets'
import { encodeListenerList, reachableIpv6, readListeners } from './listenerList'

/** Connects members directly: asks for their listeners and dials them, and lists ours when asked. */
export type DirectDialer = {
  /** Starts to dial members that should have a direct connection and have none; to be called after every change. */
  update(): void
  /** Forgets what has failed, for use after a change of network. */
  restart(): void
}

export type DirectDialerOptions = Dialling & {
  readonly peer: Peer
  readonly log: Log
  /** Whether a direct connection to this member is wanted. */
  readonly wants: (peerId: number) => boolean
  /** Ports of our listeners; undefined while there are none. */
  readonly listeners: () => { readonly tcp: number; readonly udp: number } | undefined
  /** Our public address, as STUN servers report it. */
  readonly publicAddress: () => string | undefined
  /** The public address of our UDP socket; undefined where the router gives every destination another one. */
  readonly publicSocket: () => Endpoint | undefined
  /** The same in IPv6. */
  readonly publicIpv6?: () => Endpoint | undefined
  /** Ports of our router that lead to our listeners. */
  readonly mappings: () => readonly PortMapping[]
  readonly onConnection: (connection: Connection, peerId: number) => void
  /** A member tells more listeners than are dialled. */
  readonly onOverShare?: (peerId: number) => void
  readonly signal: AbortSignal
}

const DIAL_MS = 3000
const CALL_MS = 3000
/** A member that does not know us yet cannot answer, so the first calls are repeated quickly. */
const FIRST_PAUSES_MS = [100, 150, 250, 500, 1000, 2000]
const PAUSE_MS = 5000
const LONGEST_PAUSE_MS = 30_000
/** Our IPv6 addresses that a member is asked to write to. */
const MAX_PUNCHED_IPV6 = 4

type Attempt = { count: number; readonly dialling: Set<string>; cancel: () => void }

export function createDirectDialer(options: DirectDialerOptions): DirectDialer {
  const { transports, clock, peer, log, signal } = options
  const attempts = new Map<number, Attempt>()
  const targets = createDialTargets(clock, transports.isOnOwnSubnet, options.onOverShare)
  onAbort(signal, forgetAll)
  peer.handle('getIpList', (_request, _from, reply) => reply({ kind: 'response', response: ownListeners() }))

  return {
    update,
    restart() {
      forgetAll()
      update()
    },
  }

  function update(): void {
    if (signal.aborted) return
    const peers = peer.peers()
    const present = new Set(peers.map(({ record }) => record.peerId))
    for (const peerId of attempts.keys()) if (!present.has(peerId)) forget(peerId)
    for (const { record, connection } of peers) {
      const isWanted = !connection && !record.features.isSharedNode && options.wants(record.peerId)
      if (isWanted && !attempts.has(record.peerId)) begin(record.peerId)
    }
  }

  function forget(peerId: number): void {
    attempts.get(peerId)?.cancel()
    attempts.delete(peerId)
    targets.forget(peerId)
  }

  function forgetAll(): void {
    for (const peerId of attempts.keys()) forget(peerId)
  }

  function ownListeners(): Uint8Array {
    return encodeListenerList({
      ports: options.listeners(),
      addresses: transports.interfaceAddresses(),
      publicIpv4: options.publicAddress(),
      publicIpv6: options.publicIpv6?.()?.address,
      mappings: options.mappings(),
    })
  }

  function begin(peerId: number): void {
    const attempt: Attempt = { count: 0, dialling: new Set(), cancel: () => {} }
    attempts.set(peerId, attempt)
    ask(peerId, attempt)
  }

  function ask(peerId: number, attempt: Attempt): void {
    const isOver = () => signal.aborted || attempts.get(peerId) !== attempt
    if (isOver()) return
    if (peer.peer(peerId)?.connection) {
      // If that connection closes a new attempt begins.
      attempts.delete(peerId)
      return
    }
    attempt.cancel = clock.after(pauseAfter(attempt.count), () => ask(peerId, attempt))
    attempt.count += 1
    peer.call(peerId, 'getIpList', rpcMethods.getIpList.request.encode({}), CALL_MS, (result) => {
      if (result.kind === 'answer' && !isOver()) void dialAll(peerId, attempt, result.response)
    })
  }

  /** Dials what is not being dialled: a port that the member's router has just opened need not wait for the others. */
  async function dialAll(peerId: number, attempt: Attempt, response: Uint8Array): Promise<void> {
    const isNew = (url: NodeUrl) => !attempt.dialling.has(formatNodeUrl(url))
    const urls = readListeners(response).filter((url) => isNew(url) && targets.take(peerId, url))
    if (urls.length === 0) return
    for (const url of urls) attempt.dialling.add(formatNodeUrl(url))
    log.debug('dialling a member', {
      urls: urls.map(({ scheme, host, port }) => `${scheme}://${host}:${port}`),
    })
    requestPunches(peerId, urls)
    await Promise.all(
      urls.map(async (url) => {
        try {
          options.onConnection(await dialNode(url, options, DIAL_MS, signal), peerId)
        } catch (error) {
          targets.failed(peerId, url)
          log.debug('a member’s listener does not answer', { host: url.host, cause: String(error) })
        }
      }),
    )
    for (const url of urls) attempt.dialling.delete(formatNodeUrl(url))
  }

  /**
   * A firewall lets our datagrams in once the member has sent something to us. Older programs refuse the call, so nothing
   * waits for its answer.
   */
  function requestPunches(peerId: number, urls: readonly NodeUrl[]): void {
    const ofUdp = urls.filter(({ scheme }) => scheme === 'udp')
    const from = options.publicSocket()
    if (from && !isLoopbackAddress(from.address)) {
      for (const { port } of distinctPorts(ofUdp)) requestPunch(peerId, port, from)
    }
    const own = options.listeners()
    if (own === undefined) return
    for (const { port } of distinctPorts(ofUdp.filter(({ host }) => host.includes(':')))) {
      for (const endpoint of ipv6Endpoints(own.udp)) requestPunch(peerId, port, endpoint)
    }
  }

  /**
   * As which a member may see our socket in IPv6: as servers do, or by any of our own addresses, where the system takes
   * another one for this member.
   */
  function ipv6Endpoints(port: number): readonly Endpoint[] {
    const mapped = options.publicIpv6?.()
    const addresses = reachableIpv6(transports.interfaceAddresses())
    const own = addresses.filter((address) => address !== mapped?.address || port !== mapped.port)
    return [...(mapped ? [mapped] : []), ...own.map((address) => ({ address, port }))].slice(
      0,
      MAX_PUNCHED_IPV6,
    )
  }

  function requestPunch(peerId: number, listenerPort: number, from: Endpoint): void {
    const connectorAddr = toSocketAddr(from)
    const request = rpcMethods.sendUdpHolePunchPacket.request.encode({ connectorAddr, listenerPort })
    peer.call(peerId, 'sendUdpHolePunchPacket', request, CALL_MS, () => {})
  }
}

function distinctPorts(urls: readonly NodeUrl[]): readonly NodeUrl[] {
  return urls.filter(({ port }, at) => urls.findIndex((other) => other.port === port) === at)
}

function pauseAfter(count: number): number {
  const pause = PAUSE_MS * 2 ** Math.max(0, count - FIRST_PAUSES_MS.length)
  return FIRST_PAUSES_MS[count] ?? Math.min(LONGEST_PAUSE_MS, pause)
}
