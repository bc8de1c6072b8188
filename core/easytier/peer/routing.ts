import { random32, random64 } from '../random'
import { rpcMethods } from '../wire/messages'
import type { Connections } from './connections'
import type { PeerConnection } from './peerConnection'
import type { PeerOptions } from './peerOptions'
import type { MemberStanding } from './routing/memberPlaces'
import { createRelayChoice } from './routing/relayChoice'
import { createRelayTrust } from './routing/relayTrust'
import { createRouteSessions, type RouteSessions } from './routing/routeSessions'
import { RouteTable } from './routing/routeTable'
import { BAD_REQUEST, RpcCalls } from './rpcCalls'

export type RoutingOptions = Pick<
  PeerOptions,
  'record' | 'clock' | 'randomBytes' | 'onRefused' | 'onCallFailed' | 'offersRelay'
> & {
  readonly networkName: string
  readonly connections: Pick<Connections, 'known' | 'tick'>
  /** Sends the payload of one packet of a call. @returns false when the peer is not reachable */
  readonly send: (peerId: number, isRequest: boolean, payload: Uint8Array) => boolean
  /** Called after the neighbours were informed of a change. */
  readonly onChanged: () => void
  /** @see RouteTableOptions */
  readonly standing?: MemberStanding | undefined
  /** @see RouteSessionsOptions */
  readonly neighboursSpeakForThemselves?: boolean
}

const TICK_MS = 500
/** How long a call may take. */
const SYNC_MS = 3000
const SYNC_UDP_MS = 750

/** What members and shared nodes have in common: routes, which are synchronised with neighbours by RPC calls. */
export class Routing {
  readonly table: RouteTable
  readonly calls: RpcCalls
  readonly #options: RoutingOptions
  readonly #relayTrust: ReturnType<typeof createRelayTrust>
  readonly #relayChoice: ReturnType<typeof createRelayChoice>
  readonly #sessions: RouteSessions
  #isClosed = false
  #cancelTick = () => {}
  #cancelSoon: (() => void) | undefined

  /** Answers the calls of neighbours, and looks after the routes every half second, until `close`. */
  static open(options: RoutingOptions): Routing {
    const routing = new Routing(options)
    routing.#handleCalls()
    routing.#tickLater()
    return routing
  }

  private constructor(options: RoutingOptions) {
    const { clock, connections } = options
    this.#options = options
    this.#relayTrust = createRelayTrust(clock)
    this.#relayChoice = createRelayChoice({
      connections: connections.known,
      isTrusted: this.#relayTrust.isTrusted,
      record: (peerId) => this.table.record(peerId),
      offersRelay: options.offersRelay ?? (() => false),
    })
    this.table = new RouteTable({
      record: options.record,
      unixTime: clock.unixTime,
      onRefused: options.onRefused,
      rankOf: this.#relayChoice.rankOf,
      standing: options.standing,
    })
    this.calls = this.#createCalls()
    this.#sessions = this.#createSessions()
  }

  opened({ peerId }: PeerConnection): void {
    this.table.setNeighbours(this.#options.connections.known.neighbours())
    this.#sessions.add(peerId)
    this.changed()
  }

  closed({ peerId }: PeerConnection, wasOpen: boolean): void {
    if (!wasOpen) return
    const neighbours = this.#options.connections.known.neighbours()
    this.table.setNeighbours(neighbours)
    if (!neighbours.includes(peerId)) this.#sessions.remove(peerId)
    this.changed()
  }

  /** A packet of this peer has come, by whatever route. */
  heard(peerId: number): void {
    this.#relayTrust.noteHeard(peerId)
  }

  /** Announces a change to all neighbours, once for all changes in the same turn. */
  changed(): void {
    const { clock, onChanged } = this.#options
    if (this.#isClosed || this.#cancelSoon) return
    this.#cancelSoon = clock.after(0, () => {
      this.#cancelSoon = undefined
      this.#sessions.sync(clock.now())
      this.calls.reachChanged()
      onChanged()
    })
  }

  close(): void {
    this.#isClosed = true
    this.#cancelTick()
    this.#cancelSoon?.()
    this.calls.close()
  }

  #createCalls(): RpcCalls {
    const { clock, record, networkName, send, randomBytes, onCallFailed } = this.#options
    return new RpcCalls({
      clock,
      ownId: record.peerId,
      networkName,
      send: (peerId, isRequest, payload) => {
        const isSent = send(peerId, isRequest, payload)
        if (isSent && isRequest) this.#noteCall(peerId)
        return isSent
      },
      random32: () => random32(randomBytes),
      onFailed: onCallFailed,
    })
  }

  #createSessions(): RouteSessions {
    const { clock, connections, randomBytes, onRefused, neighboursSpeakForThemselves } = this.#options
    return createRouteSessions({
      table: this.table,
      now: clock.now,
      onNews: () => this.changed(),
      isSharedNode: (peerId) => connections.known.best(peerId)?.isSharedNode ?? false,
      // No member is charged: the network may really be this large.
      onOverShare: () => onRefused?.('records'),
      neighboursSpeakForThemselves: neighboursSpeakForThemselves === true,
      randomId: () => random64(randomBytes),
      call: (peerId, request, silences, done) =>
        this.calls.call(peerId, 'syncRouteInfo', request, this.#syncLimit(peerId, silences), (result) =>
          done(result.kind === 'response' ? result.response : undefined),
        ),
    })
  }

  #handleCalls(): void {
    const { calls } = this
    calls.handle('syncRouteInfo', (request, from, reply) => {
      const response = this.#sessions.answer(from, request, this.#options.clock.now())
      reply(response ? { kind: 'response', response } : { kind: 'error', error: BAD_REQUEST })
    })
    calls.handle('reportPeers', (_request, _from, reply) =>
      reply({ kind: 'response', response: new Uint8Array(0) }),
    )
    // Only large networks use the map of distances: an empty one is a valid answer.
    calls.handle('getGlobalPeerMap', (_request, _from, reply) =>
      reply({ kind: 'response', response: rpcMethods.getGlobalPeerMap.response.encode({}) }),
    )
  }

  #noteCall(peerId: number): void {
    const hop = this.table.nextHop(peerId)
    if (hop === undefined || hop === peerId || this.#options.connections.known.best(hop)?.isSharedNode) return
    this.#relayTrust.noteCall(peerId, hop)
  }

  #tickLater(): void {
    this.#cancelTick = this.#options.clock.after(TICK_MS, () => this.#tick())
  }

  #tick(): void {
    const { clock, connections } = this.#options
    this.#tickLater()
    connections.tick()
    // That may have dropped the last connection, and closed everything with it.
    if (this.#isClosed) return
    this.#relayTrust.update()
    const isRerouted = this.#relayChoice.update()
    if (isRerouted) this.table.reroute()
    if (this.table.tick(clock.now()) || isRerouted) this.changed()
    this.#sessions.sync(clock.now())
  }

  /** Over UDP a packet may be lost, and the neighbour learns nothing until the call is repeated, so the limit is shorter. */
  #syncLimit(peerId: number, silences: number): number {
    const connection = this.#options.connections.known.best(peerId)
    if (connection?.origin.transport !== 'udp') return SYNC_MS
    // A whole number, since the request carries it.
    const usual = Math.ceil(Math.max(SYNC_UDP_MS, 3 * (connection.roundTrip ?? 0)))
    return Math.min(SYNC_MS, usual * 2 ** silences)
  }
}
