import { isLoopbackAddress } from '#core/addressRanges'
import type { Log } from '#core/log'
import type { Peer } from '../peer/peer'
import type { RpcAnswer } from '../rpc/rpcMessage'
import type { Connection } from '../transport/transports'
import { formatIpv4, parseIpv4 } from '../wire/addresses'
import { rpcMethods } from '../wire/messages'
import { type Endpoint, type NodeUrl, parseNodeUrl, toSocketAddr } from '../wire/socketAddress'
import { type Dialling, dialNode } from './dialNode'

/** Connects members without a shared node between: dials their listeners, and tells ours. */
export type DirectDialer = {
  /** Looks who has no direct link and should have one; called after every change. */
  look(): void
  /** Answers GetIpList. */
  answerIpList(): RpcAnswer
  /** Forgets what has failed: the network has changed. */
  again(): void
}

export type DirectDialerOptions = Dialling & {
  readonly node: () => Peer
  readonly log: Log
  /** Whether a direct link to this member is wanted. */
  readonly wants: (peerId: number) => boolean
  /** Ports of our listeners; undefined while there are none. */
  readonly listeners: () => { readonly tcp: number; readonly udp: number } | undefined
  /** Our address as STUN servers see it. */
  readonly publicAddress: () => string | undefined
  /** Our UDP socket, where a member sees it as STUN servers do. */
  readonly publicSocket: () => Endpoint | undefined
  readonly onLink: (link: Connection, peerId: number) => void
  readonly signal: AbortSignal
}

const DIAL_MS = 3000
const CALL_MS = 3000
/** A member may not know us yet when we see it: its answer is lost then. */
const FIRST_PAUSES_MS = [100, 150, 250, 500, 1000, 2000]
const PAUSE_MS = 5000
const LONGEST_PAUSE_MS = 30_000
const MAX_LISTENERS = 16
const MAX_ADDRESSES = 16

type Try = { count: number; isRunning: boolean; cancel: () => void }

export function createDirectDialer(options: DirectDialerOptions): DirectDialer {
  const { transports, clock, node, log, signal } = options
  const tries = new Map<number, Try>()
  const forgetAll = () => {
    for (const entry of tries.values()) entry.cancel()
    tries.clear()
  }
  signal.addEventListener('abort', forgetAll, { once: true })

  return {
    look() {
      if (signal.aborted) return
      const peers = node().peers()
      for (const [peerId, entry] of tries) {
        if (peers.some(({ record }) => record.peerId === peerId)) continue
        entry.cancel()
        tries.delete(peerId)
      }
      for (const { record, link } of peers) {
        const isWanted = !link && !record.features.isSharedNode && options.wants(record.peerId)
        if (isWanted && !tries.has(record.peerId)) begin(record.peerId)
      }
    },

    answerIpList() {
      const ports = options.listeners()
      const own = transports.interfaceAddresses().flatMap((address) => {
        const addr = parseIpv4(address)
        return addr === undefined ? [] : { addr }
      })
      const seen = parseIpv4(options.publicAddress() ?? '')
      const urls = ports ? [`udp://0.0.0.0:${ports.udp}`, `tcp://0.0.0.0:${ports.tcp}`] : []
      const response = rpcMethods.getIpList.response.encode({
        interfaceIpv4s: ports ? own.slice(0, MAX_ADDRESSES) : [],
        listeners: urls.map((url) => ({ url })),
        ...(seen !== undefined && { publicIpv4: { addr: seen } }),
      })
      return { kind: 'response', response }
    },

    again() {
      forgetAll()
      this.look()
    },
  }

  function begin(peerId: number): void {
    const entry: Try = { count: 0, isRunning: false, cancel: () => {} }
    tries.set(peerId, entry)
    ask(peerId, entry)
  }

  function ask(peerId: number, entry: Try): void {
    const isOver = () => signal.aborted || tries.get(peerId) !== entry
    if (isOver()) return
    if (node().peer(peerId)?.link) {
      // Should the link go, it is looked for anew.
      tries.delete(peerId)
      return
    }
    const later = PAUSE_MS * 2 ** Math.max(0, entry.count - FIRST_PAUSES_MS.length)
    const pause = FIRST_PAUSES_MS[entry.count] ?? Math.min(LONGEST_PAUSE_MS, later)
    entry.count += 1
    entry.cancel = clock.after(pause, () => ask(peerId, entry))
    if (entry.isRunning) return
    node().call(peerId, 'getIpList', rpcMethods.getIpList.request.encode({}), CALL_MS, (result) => {
      if (result.kind !== 'answer' || isOver() || entry.isRunning) return
      entry.isRunning = true
      void dialAll(peerId, result.response).finally(() => {
        entry.isRunning = false
      })
    })
  }

  async function dialAll(peerId: number, response: Uint8Array): Promise<void> {
    const urls = readListeners(response)
    log.debug('dialling a member', {
      urls: urls.map(({ scheme, host, port }) => `${scheme}://${host}:${port}`),
    })
    const ports = urls.flatMap(({ scheme, port }) => (scheme === 'udp' ? [port] : []))
    for (const port of new Set(ports)) askToOpen(peerId, port)
    await Promise.all(
      urls.map(async (url) => {
        try {
          options.onLink(await dialNode(url, options, DIAL_MS, signal), peerId)
        } catch (error) {
          log.debug('a member’s listener does not answer', { host: url.host, cause: String(error) })
        }
      }),
    )
  }

  /** A member behind a firewall lets us in once it has sent something to us. Older programs refuse: that is not waited for. */
  function askToOpen(peerId: number, listenerPort: number): void {
    const from = options.publicSocket()
    if (!from || isLoopback(from.address)) return
    const connectorAddr = toSocketAddr(from)
    const request = rpcMethods.sendUdpHolePunchPacket.request.encode({ connectorAddr, listenerPort })
    node().call(peerId, 'sendUdpHolePunchPacket', request, CALL_MS, () => {})
  }
}

/** Where a member says that it listens: `0.0.0.0` stands for each of its addresses. Schemes that we do not speak are left out. */
export function readListeners(response: Uint8Array): readonly NodeUrl[] {
  const list = rpcMethods.getIpList.response.decode(response)
  if (!list) return []
  const addresses = [...(list.publicIpv4 ? [list.publicIpv4] : []), ...list.interfaceIpv4s]
    .slice(0, MAX_ADDRESSES)
    .map(({ addr }) => formatIpv4(addr))
  const urls = list.listeners.slice(0, MAX_LISTENERS).flatMap(({ url }) => {
    const listener = parseNodeUrl(url)
    if (!listener || listener.scheme === 'ws' || listener.scheme === 'wss') return []
    if (listener.host !== '0.0.0.0') return isLoopback(listener.host) ? [] : [listener]
    return addresses.map((host) => ({ ...listener, host }))
  })
  const known = new Set<string>()
  return urls.filter(({ scheme, host, port }) => {
    const key = `${scheme} ${host} ${port}`
    return !known.has(key) && known.add(key)
  })
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || isLoopbackAddress(host)
}
