import type { Log } from '@lantern-room/base'
import { onAbort } from '@lantern-room/base/async'
import type { Connection } from '../transport/transports'
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
    readonly onConnection: (connection: Connection, peerId: number) => void
    /** A member tells more listeners than are dialled. */
    readonly onOverShare: (peerId: number) => void
  }

const DIAL_MS = 3000
const CALL_MS = 3000
/** A member that does not know us yet cannot answer, so the first calls are repeated quickly. */
const FIRST_PAUSES_MS = [100, 150, 250, 500, 1000, 2000]
const PAUSE_MS = 5000
const LONGEST_PAUSE_MS = 30_000

type Attempt = { count: number; readonly dialling: Set<string>; cancel: () => void }

/** Connects members directly: asks for their listeners and dials them, and lists ours when asked. */
export class DirectDialer {
  readonly #options: DirectDialerOptions
  readonly #signal: AbortSignal
  readonly #targets: ReturnType<typeof createDialTargets>
  readonly #attempts = new Map<number, Attempt>()

  /** Dials until the signal aborts, and registers what answers calls for our listeners. */
  static open(options: DirectDialerOptions, signal: AbortSignal): DirectDialer {
    const { peer, transports } = options
    const dialer = new DirectDialer(options, signal)
    onAbort(signal, () => dialer.#forgetAll())
    peer.handle('getIpList', (_request, _from, reply) =>
      reply({
        kind: 'response',
        response: encodeListenerList(options.reach(), transports.interfaceAddresses()),
      }),
    )
    return dialer
  }

  private constructor(options: DirectDialerOptions, signal: AbortSignal) {
    const { transports, clock, onOverShare } = options
    this.#options = options
    this.#signal = signal
    this.#targets = createDialTargets(clock, transports.machine, onOverShare)
  }

  /** Starts to dial members that should have a direct connection and have none; to be called after every change. */
  update(): void {
    const { peer, wants } = this.#options
    if (this.#signal.aborted) return
    for (const peerId of this.#attempts.keys()) if (!peer.peer(peerId)) this.#forget(peerId)
    for (const { record, connection } of peer.peers()) {
      const isWanted = !connection && !record.features.isSharedNode && wants(record.peerId)
      if (isWanted && !this.#attempts.has(record.peerId)) this.#begin(record.peerId)
    }
  }

  restart(): void {
    this.#forgetAll()
    this.update()
  }

  #forget(peerId: number): void {
    this.#attempts.get(peerId)?.cancel()
    this.#attempts.delete(peerId)
    this.#targets.forget(peerId)
  }

  #forgetAll(): void {
    for (const peerId of this.#attempts.keys()) this.#forget(peerId)
  }

  #begin(peerId: number): void {
    const attempt: Attempt = { count: 0, dialling: new Set(), cancel: () => {} }
    this.#attempts.set(peerId, attempt)
    this.#ask(peerId, attempt)
  }

  #ask(peerId: number, attempt: Attempt): void {
    const { peer, clock } = this.#options
    if (this.#isOver(peerId, attempt)) return
    if (peer.peer(peerId)?.connection) {
      // If that connection closes a new attempt begins.
      this.#attempts.delete(peerId)
      return
    }
    attempt.cancel = clock.after(pauseAfter(attempt.count), () => this.#ask(peerId, attempt))
    attempt.count += 1
    peer.call(peerId, 'getIpList', rpcMethods.getIpList.request.encode({}), CALL_MS, (result) => {
      if (result.kind !== 'response' || this.#isOver(peerId, attempt)) return
      void this.#dialAll(peerId, attempt, result.response)
    })
  }

  #isOver(peerId: number, attempt: Attempt): boolean {
    return this.#signal.aborted || this.#attempts.get(peerId) !== attempt
  }

  /** Dials what is not being dialled: a port that the member's router has just opened need not wait for the others. */
  async #dialAll(peerId: number, { dialling }: Attempt, response: Uint8Array): Promise<void> {
    const isNew = (url: NodeUrl) => !dialling.has(formatNodeUrl(url))
    const urls = readListeners(response).filter((url) => isNew(url) && this.#targets.take(peerId, url))
    if (urls.length === 0) return
    for (const url of urls) dialling.add(formatNodeUrl(url))
    this.#options.log.debug('dialling a member', { urls: urls.map(formatNodeUrl) })
    requestPunches(this.#options, peerId, urls)
    await Promise.all(urls.map((url) => this.#dial(peerId, url)))
    for (const url of urls) dialling.delete(formatNodeUrl(url))
  }

  async #dial(peerId: number, url: NodeUrl): Promise<void> {
    const { onConnection, log } = this.#options
    try {
      onConnection(await dialNode({ url, origin: 'member' }, this.#options, DIAL_MS, this.#signal), peerId)
    } catch (error) {
      this.#targets.failed(peerId, url)
      log.debug('a member’s listener does not answer', { host: url.host, cause: String(error) })
    }
  }
}

function pauseAfter(count: number): number {
  const pause = PAUSE_MS * 2 ** Math.max(0, count - FIRST_PAUSES_MS.length)
  return FIRST_PAUSES_MS[count] ?? Math.min(LONGEST_PAUSE_MS, pause)
}
