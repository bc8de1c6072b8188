import type { Log } from '@lantern-room/base'
import { type Alarm, createAlarm, createEmitter } from '@lantern-room/base/async'
import { OutboundRefusal } from '@lantern-room/base/network'
import type { ConnectionProblem, PeerConnection } from '../peer/peerConnection'
import type { ClosedConnection } from '../peer/peerOptions'
import type { Listener, NamedNode } from '../transport/namedNode'
import type { Connection } from '../transport/transports'
import { REFUSALS, type Refusal } from '../wire/refusal'
import { formatNodeUrl } from '../wire/socketAddress'
import { type Dialling, dialNode } from './dialNode'
import { expandNodes } from './expandNodes'

export type SharedNodeStatus = {
  readonly url: string
  readonly state: 'connecting' | 'connected' | 'failed'
  readonly latencyMs: number | undefined
  /** Why it failed, in a few words. */
  readonly problem: string | undefined
  /** Set where the node itself has said why it takes no connection. */
  readonly refusal?: Refusal | undefined
}

export type SharedNodesOptions = Dialling & {
  readonly nodes: readonly NamedNode[]
  /** From 0 up to 1. */
  readonly random: () => number
  readonly log: Log
  readonly onConnection: (connection: Connection, url: string) => void
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000
/** Who has lost all nodes dials more often for some minutes: others may wait for this peer, and the way out is mostly back soon. */
const ALONE_PAUSE_MS = 1500
const ALONE_MS = 600_000
const DIAL_MS = 5000
/** After a connection that lasted this long the next pause is short again. */
const GOOD_MS = 10_000
/** A node that closes this soon after the handshake has refused us: it knows the name with another secret. */
const REFUSAL_MS = 1000

type Kept = NamedNode & {
  status: SharedNodeStatus
  connection: PeerConnection | undefined
  openedAt: number | undefined
  isRefusing: boolean
  /** The addresses that are not asked, which were logged. */
  readonly refused: Set<string>
  /** Ends the pause before the next dial. */
  readonly alarm: Alarm
}

/** Keeps a connection to every configured shared node until the signal aborts. */
export class SharedNodes {
  /** A node has another state, or has failed for another reason. */
  readonly statusChanged = createEmitter<void>()
  readonly #options: SharedNodesOptions
  readonly #signal: AbortSignal
  readonly #nodes: readonly Kept[]
  /** When the last good connection was lost; undefined as long as there was none. */
  #aloneSince: number | undefined
  #closed: Promise<void> = Promise.resolve()

  static open(options: SharedNodesOptions, signal: AbortSignal): SharedNodes {
    const nodes = new SharedNodes(options, signal)
    nodes.#closed = Promise.all(nodes.#nodes.map((node) => nodes.#keep(node))).then(() => {})
    return nodes
  }

  private constructor(options: SharedNodesOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
    this.#nodes = options.nodes.map((node) => newNode(node, createAlarm(options.clock)))
  }

  /** Resolves after the signal, when no dial is under way. */
  get closed(): Promise<void> {
    return this.#closed
  }

  statuses(): readonly SharedNodeStatus[] {
    return this.#nodes.map(({ status, connection }) => ({
      ...status,
      latencyMs: rounded(connection?.roundTrip),
    }))
  }

  /** To be called with every connection whose handshake is done, and with every closed one. */
  connectionOpened(connection: PeerConnection): void {
    const node = this.#nodeOf(connection)
    if (!node) return
    node.connection = connection
    node.openedAt = this.#options.clock.now()
    this.#show(node, 'connected')
  }

  connectionClosed({ connection, problem, wasOpen }: ClosedConnection): void {
    const node = this.#nodeOf(connection)
    if (!node) return
    node.connection = undefined
    const lasted = node.openedAt === undefined ? 0 : this.#options.clock.now() - node.openedAt
    const isRefusal = wasOpen && problem === 'closed' && lasted < REFUSAL_MS
    // A member that was configured as a shared node reports it in the handshake.
    node.isRefusing = isRefusal || problem === 'wrong-secret'
    node.openedAt = undefined
    if (lasted >= GOOD_MS) this.#aloneSince = this.#options.clock.now()
    const refusal = REFUSALS.find((one) => one === problem)
    this.#show(node, 'failed', PROBLEM_TEXTS[isRefusal ? 'refused' : problem], refusal)
  }

  /**
   * How many know our network's name with another secret: they closed right after the handshake, or said so in it. A connection
   * that has just been opened may be refused like the one before.
   */
  refusals(): number {
    const now = this.#options.clock.now()
    return this.#nodes.filter(({ isRefusing, openedAt = now }) => isRefusing && now - openedAt < REFUSAL_MS)
      .length
  }

  /** Dials missing nodes at once, for use after a change of network. */
  retryAll(): void {
    for (const { alarm } of this.#nodes) alarm.wake()
  }

  #nodeOf({ origin }: PeerConnection): Kept | undefined {
    return this.#nodes.find(({ url }) => url === origin.url)
  }

  async #keep(node: Kept): Promise<void> {
    let pause = FIRST_PAUSE_MS
    while (!this.#signal.aborted) {
      if ((await this.#stay(node)) >= GOOD_MS) pause = FIRST_PAUSE_MS
      const drawn = Math.min(pause, this.#longestPauseMs()) * (0.75 + this.#options.random() / 2)
      await node.alarm.wait(drawn, this.#signal).catch(() => undefined)
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2)
    }
  }

  #longestPauseMs(): number {
    const { clock } = this.#options
    const isAlone =
      this.#aloneSince !== undefined &&
      clock.now() - this.#aloneSince < ALONE_MS &&
      this.#nodes.every(({ connection }) => connection === undefined)
    return isAlone ? ALONE_PAUSE_MS : LONGEST_PAUSE_MS
  }

  /** @returns how many milliseconds the connection has lasted; 0 when none could be opened */
  async #stay(node: Kept): Promise<number> {
    const { clock, onConnection } = this.#options
    try {
      const connection = await this.#dialOneOf(node)
      const openedAt = clock.now()
      onConnection(connection, node.url)
      await connection.closed
      return clock.now() - openedAt
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (!this.#signal.aborted) this.#show(node, 'failed', problem)
      return 0
    }
  }

  /** Tries the nodes of a list in turn. */
  async #dialOneOf(node: Kept): Promise<Connection> {
    let problem: unknown
    for (const place of await expandNodes(node, this.#options.transports, this.#signal)) {
      try {
        return await dialNode(place, this.#options, DIAL_MS, this.#signal)
      } catch (error) {
        if (this.#signal.aborted) throw error
        // What is not asked says more of a list than what does not answer.
        problem = problem instanceof OutboundRefusal ? problem : error
        this.#noteRefusal(node, place, error)
      }
    }
    throw problem
  }

  /** Says once for each address which of a list are left out. */
  #noteRefusal({ url, refused }: Kept, place: Listener, error: unknown): void {
    const at = formatNodeUrl(place.url)
    if (!(error instanceof OutboundRefusal) || refused.has(at)) return
    refused.add(at)
    this.#options.log.warn('a shared node that others name is not asked', {
      url,
      node: at,
      cause: error.message,
    })
  }

  #show(node: Kept, state: SharedNodeStatus['state'], problem?: string, refusal?: Refusal): void {
    const { log } = this.#options
    const isNews = node.status.state !== state || node.status.problem !== problem
    node.status = { url: node.url, state, latencyMs: undefined, problem, refusal }
    if (!isNews) return
    log[state === 'failed' ? 'warn' : 'info'](`shared node ${state}`, { url: node.url, problem })
    this.statusChanged.emit()
  }
}

function newNode({ url, origin }: NamedNode, alarm: Alarm): Kept {
  return {
    url,
    origin,
    alarm,
    connection: undefined,
    openedAt: undefined,
    isRefusing: false,
    refused: new Set(),
    status: { url, state: 'connecting', latencyMs: undefined, problem: undefined },
  }
}

export const PROBLEM_TEXTS: Readonly<Record<ConnectionProblem, string>> = {
  'wrong-secret': 'a member with another secret answered there',
  'own-self': 'it leads back to this machine',
  'unexpected-peer': 'an unexpected peer answered',
  'no-handshake': 'it does not speak the protocol of shared nodes',
  'other-network': 'it belongs to another network',
  refused: 'it refuses this network: its name is in use there with another secret',
  silent: 'it does not answer any more',
  closed: 'the connection was closed',
  'address-limit': 'it takes no more connections from this network address',
  'node-full': 'it is full',
}

function rounded(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10
}
