import { onAbort } from '#core/async/onAbort'
import type { Log } from '#core/log'
import type { Connection, PortMapping } from '../transport/transports'
import { rpcMethods } from '../wire/messages'
import { formatNodeUrl, type NodeUrl } from '../wire/socketAddress'
import { type Dialling, dialNode } from './dialNode'
import { createDialTargets } from './dialTargets'
import { encodeListenerList, readListeners } from './listenerList'
import { type PunchRequestOptions, requestPunches } from './punchRequests'

export type DirectDialerOptions = Dialling &
  PunchRequestOptions & {
    readonly log: Log
    readonly wants: (peerId: number) => boolean
    /** Our public address, as STUN servers report it. */
    readonly publicAddress: () => string | undefined
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

type Attempt = { count: number; readonly dialling: Set<string>; cancel: () => void }

/** Connects members directly: asks for their listeners and dials them, and lists ours when asked. */
export function createDirectDialer(options: DirectDialerOptions) {
  const { peer, transports, clock, log, signal } = options
  const attempts = new Map<number, Attempt>()
  const targets = createDialTargets(clock, transports.isOnOwnSubnet, options.onOverShare)
  onAbort(signal, forgetAll)
  peer.handle('getIpList', (_request, _from, reply) => reply({ kind: 'response', response: ownListeners() }))

  return {
    update,
    restart(): void {
      forgetAll()
      update()
    },
  }

  /** Starts to dial members that should have a direct connection and have none; to be called after every change. */
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
    if (isOver(peerId, attempt)) return
    if (peer.peer(peerId)?.connection) {
      // If that connection closes a new attempt begins.
      attempts.delete(peerId)
      return
    }
    attempt.cancel = clock.after(pauseAfter(attempt.count), () => ask(peerId, attempt))
    attempt.count += 1
    peer.call(peerId, 'getIpList', rpcMethods.getIpList.request.encode({}), CALL_MS, (result) => {
      if (result.kind !== 'response' || isOver(peerId, attempt)) return
      void dialAll(peerId, attempt, result.response)
    })
  }

  function isOver(peerId: number, attempt: Attempt): boolean {
    return signal.aborted || attempts.get(peerId) !== attempt
  }

  /** Dials what is not being dialled: a port that the member's router has just opened need not wait for the others. */
  async function dialAll(peerId: number, { dialling }: Attempt, response: Uint8Array): Promise<void> {
    const isNew = (url: NodeUrl) => !dialling.has(formatNodeUrl(url))
    const urls = readListeners(response).filter((url) => isNew(url) && targets.take(peerId, url))
    if (urls.length === 0) return
    for (const url of urls) dialling.add(formatNodeUrl(url))
    log.debug('dialling a member', { urls: urls.map(formatNodeUrl) })
    requestPunches(options, peerId, urls)
    await Promise.all(urls.map((url) => dial(peerId, url)))
    for (const url of urls) dialling.delete(formatNodeUrl(url))
  }

  async function dial(peerId: number, url: NodeUrl): Promise<void> {
    try {
      options.onConnection(await dialNode(url, options, DIAL_MS, signal), peerId)
    } catch (error) {
      targets.failed(peerId, url)
      log.debug('a member’s listener does not answer', { host: url.host, cause: String(error) })
    }
  }
}

function pauseAfter(count: number): number {
  const pause = PAUSE_MS * 2 ** Math.max(0, count - FIRST_PAUSES_MS.length)
  return FIRST_PAUSES_MS[count] ?? Math.min(LONGEST_PAUSE_MS, pause)
}
