import { createEmitter } from '@lantern-room/base/async'
import { random32, random64 } from '../random'
import { rpcMethods } from '../wire/messages'
import type { Connections } from './connections'
import type { PeerConnection } from './peerConnection'
import type { PeerOptions } from './peerOptions'
import { createRelayChoice } from './routing/relayChoice'
import { createRelayTrust } from './routing/relayTrust'
import { RouteSessions } from './routing/routeSessions'
import type { RouteTable } from './routing/routeTable'
import { BAD_REQUEST, RpcCalls } from './rpcCalls'

export type RoutingOptions = Pick<
  PeerOptions,
  'clock' | 'randomBytes' | 'onRefused' | 'onCallFailed' | 'offersRelay'
> & {
  readonly networkName: string
  readonly table: RouteTable
  readonly connections: Pick<Connections, 'known' | 'tick'>
  /** Sends the payload of one packet of a call. @returns false when the peer is not reachable */
  readonly send: (peerId: number, isRequest: boolean, payload: Uint8Array) => boolean
  /** @see RouteSessionsOptions */
  readonly neighboursSpeakForThemselves?: boolean
}

/** In the order in which they are made: each uses only those before it. */
type RoutingParts = {
  readonly relayTrust: ReturnType<typeof createRelayTrust>
  readonly relayChoice: ReturnType<typeof createRelayChoice>
  readonly calls: RpcCalls
  readonly sessions: RouteSessions
}

const TICK_MS = 500
/** How long a call may take. */
const SYNC_MS = 3000
const SYNC_UDP_MS = 750

/** What members and shared nodes have in common: routes, which are synchronised with neighbours by RPC calls. */
export class Routing {
  /** Emits after the neighbours were informed of a change. */
  readonly announced = createEmitter<void>()
  readonly calls: RpcCalls
  readonly #options: RoutingOptions
  readonly #relayTrust: RoutingParts['relayTrust']
  readonly #relayChoice: RoutingParts['relayChoice']
  readonly #sessions: RouteSessions
  #isClosed = false
  #cancelTick = () => {}
  #cancelSoon: (() => void) | undefined

  /** Answers the calls of neighbours, and looks after the routes every half second, until `close`. */
  static open(options: RoutingOptions): Routing {
    const { table, connections, clock } = options
    const relayTrust = createRelayTrust(clock)
    const relayChoice = createRelayChoice({
      connections: connections.known,
      isTrusted: relayTrust.isTrusted,
      record: (peerId) => table.record(peerId),
      offersRelay: options.offersRelay ?? (() => false),
    })
    table.rankNeighbours(relayChoice.rankOf)
    const calls = openCalls(options, relayTrust)
    const sessions = openSessions(options, calls)
    const routing = new Routing(options, { relayTrust, relayChoice, calls, sessions })
    routing.#handleCalls()
    routing.#tickLater()
    return routing
  }

  private constructor(options: RoutingOptions, parts: RoutingParts) {
    this.#options = options
    this.#relayTrust = parts.relayTrust
    this.#relayChoice = parts.relayChoice
    this.calls = parts.calls
    this.#sessions = parts.sessions
  }

  opened({ peerId }: PeerConnection): void {
    const { table, connections } = this.#options
    table.setNeighbours(connections.known.neighbours())
    this.#sessions.add(peerId)
    this.changed()
  }

  closed({ peerId }: PeerConnection, wasOpen: boolean): void {
    if (!wasOpen) return
    const { table, connections } = this.#options
    const neighbours = connections.known.neighbours()
    table.setNeighbours(neighbours)
    if (!neighbours.includes(peerId)) this.#sessions.remove(peerId)
    this.changed()
  }

  /** A packet of this peer has come, by whatever route. */
  heard(peerId: number): void {
    this.#relayTrust.noteHeard(peerId)
  }

  /** Announces a change to all neighbours, once for all changes in the same turn. */
  changed(): void {
    const { clock } = this.#options
    if (this.#isClosed || this.#cancelSoon) return
    this.#cancelSoon = clock.after(0, () => {
      this.#cancelSoon = undefined
      this.#sessions.sync(clock.now())
      this.calls.reachChanged()
      this.announced.emit()
    })
  }

  close(): void {
    this.#isClosed = true
    this.#cancelTick()
    this.#cancelSoon?.()
    this.calls.close()
  }

  #handleCalls(): void {
    const { calls } = this
    calls.handle('syncRouteInfo', (request, from, reply) => {
      const answer = this.#sessions.answer(from, request, this.#options.clock.now())
      if (answer?.isNews) this.changed()
      reply(answer ? { kind: 'response', response: answer.response } : { kind: 'error', error: BAD_REQUEST })
    })
    calls.handle('reportPeers', (_request, _from, reply) =>
      reply({ kind: 'response', response: new Uint8Array(0) }),
    )
    // Only large networks use the map of distances: an empty one is a valid answer.
    calls.handle('getGlobalPeerMap', (_request, _from, reply) =>
      reply({ kind: 'response', response: rpcMethods.getGlobalPeerMap.response.encode({}) }),
    )
  }

  #tickLater(): void {
    this.#cancelTick = this.#options.clock.after(TICK_MS, () => this.#tick())
  }

  #tick(): void {
    const { table, clock, connections } = this.#options
    this.#tickLater()
    connections.tick()
    // That may have dropped the last connection, and closed everything with it.
    if (this.#isClosed) return
    this.#relayTrust.update()
    const isRerouted = this.#relayChoice.update()
    if (isRerouted) table.reroute()
    if (table.tick(clock.now()) || isRerouted) this.changed()
    this.#sessions.sync(clock.now())
  }
}

function openCalls(options: RoutingOptions, relayTrust: RoutingParts['relayTrust']): RpcCalls {
  const { clock, table, networkName, send, randomBytes, onCallFailed } = options
  return new RpcCalls({
    clock,
    ownId: table.ownId,
    networkName,
    send: (peerId, isRequest, payload) => {
      const isSent = send(peerId, isRequest, payload)
      const relay = isSent && isRequest ? memberBetween(peerId, options) : undefined
      if (relay !== undefined) relayTrust.noteCall(peerId, relay)
      return isSent
    },
    random32: () => random32(randomBytes),
    onFailed: onCallFailed,
  })
}

/** The member through which a peer is reached; undefined when there is none. */
function memberBetween(
  peerId: number,
  { table, connections }: Pick<RoutingOptions, 'table' | 'connections'>,
): number | undefined {
  const hop = table.nextHop(peerId)
  if (hop === undefined || hop === peerId || connections.known.best(hop)?.isSharedNode) return undefined
  return hop
}

function openSessions(options: RoutingOptions, calls: RpcCalls): RouteSessions {
  const { table, clock, connections, randomBytes, onRefused, neighboursSpeakForThemselves } = options
  return new RouteSessions({
    table,
    now: clock.now,
    isSharedNode: (peerId) => connections.known.best(peerId)?.isSharedNode ?? false,
    // No member is charged: the network may really be this large.
    onOverShare: () => onRefused?.('records'),
    neighboursSpeakForThemselves: neighboursSpeakForThemselves === true,
    randomId: () => random64(randomBytes),
    call: (peerId, request, silences, done) => {
      const limitMs = syncLimit(connections.known.best(peerId), silences)
      calls.call(peerId, 'syncRouteInfo', request, limitMs, (result) =>
        done(result.kind === 'response' ? result.response : undefined),
      )
    },
  })
}

/** Over UDP a packet may be lost, and the neighbour learns nothing until the call is repeated, so the limit is shorter. */
function syncLimit(connection: PeerConnection | undefined, silences: number): number {
  if (connection?.origin.transport !== 'udp') return SYNC_MS
  // A whole number, since the request carries it.
  const usual = Math.ceil(Math.max(SYNC_UDP_MS, 3 * (connection.roundTrip ?? 0)))
  return Math.min(SYNC_MS, usual * 2 ** silences)
}
