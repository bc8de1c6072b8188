import type { Clock } from '#core/async/clock'
import type { OnRefused } from '../limitLog'
import { random32, random64 } from '../random'
import { rpcMethods } from '../wire/messages'
import type { PeerRecord } from '../wire/peerRecord'
import type { Connections } from './connections'
import type { PeerConnection } from './peerConnection'
import type { MemberStanding } from './routing/memberPlaces'
import { createRelayChoice } from './routing/relayChoice'
import { createRelayTrust } from './routing/relayTrust'
import { createRouteSessions } from './routing/routeSessions'
import { RouteTable } from './routing/routeTable'
import { createRpcCalls, type OnCallFailed, type RpcCalls } from './rpcCalls'

/** What members and shared nodes have in common: routes, which are synchronised with neighbours by RPC calls. */
export type Routing = {
  readonly table: RouteTable
  readonly calls: RpcCalls
  /** The handshake of a connection is done. */
  opened(connection: PeerConnection): void
  closed(connection: PeerConnection, wasOpen: boolean): void
  /** Something of this peer has come, by whatever way. */
  heard(peerId: number): void
  /** Announces a change to all neighbours, once for all changes in the same turn. */
  changed(): void
  close(): void
}

export type RoutingOptions = {
  readonly record: Omit<PeerRecord, 'version' | 'updatedAtUnixMs'>
  readonly networkName: string
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly connections: Pick<Connections, 'neighbours' | 'best' | 'isResponsive' | 'tick'>
  /** Sends the payload of one packet of a call. @returns false when the peer is not reachable */
  readonly send: (peerId: number, isRequest: boolean, payload: Uint8Array) => boolean
  readonly onRefused?: OnRefused
  /** @see RpcCallsOptions */
  readonly onCallFailed?: OnCallFailed
  /** Called after the neighbours were informed of a change. */
  readonly onChanged: () => void
  /** @see RelayChoiceOptions */
  readonly offersRelay?: (record: PeerRecord) => boolean
  /** @see RouteTableOptions */
  readonly standing?: MemberStanding
  /** @see RouteSessionsOptions */
  readonly neighboursSpeakForThemselves?: boolean
}

const TICK_MS = 500
/** How long a call may take. */
const SYNC_MS = 3000
const SYNC_UDP_MS = 750

export function createRouting(options: RoutingOptions): Routing {
  const { record, clock, randomBytes, connections } = options
  let isClosed = false
  let cancelSoon: (() => void) | undefined
  const relayTrust = createRelayTrust(clock)
  const relayChoice = createRelayChoice({
    connections,
    isTrusted: relayTrust.isTrusted,
    record: (peerId) => table.record(peerId),
    offersRelay: options.offersRelay ?? (() => false),
  })
  const table: RouteTable = new RouteTable({
    record,
    unixTime: clock.unixTime,
    onRefused: options.onRefused,
    rankOf: relayChoice.rankOf,
    standing: options.standing,
  })
  const calls = createRpcCalls({
    clock,
    ownId: record.peerId,
    networkName: options.networkName,
    send(peerId, isRequest, payload) {
      const isSent = options.send(peerId, isRequest, payload)
      if (isSent && isRequest) noteCall(peerId)
      return isSent
    },
    random32: () => random32(randomBytes),
    ...(options.onCallFailed && { onFailed: options.onCallFailed }),
  })
  const sessions = createRouteSessions({
    table,
    now: clock.now,
    onNews: changed,
    isSharedNode: (peerId) => connections.best(peerId)?.isSharedNode ?? false,
    // No member is charged: the network may really be this large.
    onOverShare: () => options.onRefused?.('records'),
    neighboursSpeakForThemselves: options.neighboursSpeakForThemselves === true,
    randomId: () => random64(randomBytes),
    call: (peerId, request, silences, done) =>
      calls.call(peerId, 'syncRouteInfo', request, syncLimit(peerId, silences), (result) =>
        done(result.kind === 'answer' ? result.response : undefined),
      ),
  })
  calls.handle('syncRouteInfo', (request, from, reply) => {
    const response = sessions.answer(from, request, clock.now())
    reply(response ? { kind: 'response', response } : { kind: 'error', error: { kind: 'bad-request' } })
  })
  calls.handle('reportPeers', (_request, _from, reply) =>
    reply({ kind: 'response', response: new Uint8Array(0) }),
  )
  // Only large networks use the map of distances: an empty one is a valid answer.
  calls.handle('getGlobalPeerMap', (_request, _from, reply) =>
    reply({ kind: 'response', response: rpcMethods.getGlobalPeerMap.response.encode({}) }),
  )
  let cancelTick = clock.after(TICK_MS, tick)

  return {
    table,
    calls,
    changed,
    opened({ peerId }) {
      table.setNeighbours(connections.neighbours())
      sessions.add(peerId)
      changed()
    },
    closed({ peerId }, wasOpen) {
      if (!wasOpen) return
      const neighbours = connections.neighbours()
      table.setNeighbours(neighbours)
      if (!neighbours.includes(peerId)) sessions.remove(peerId)
      changed()
    },
    heard: relayTrust.noteHeard,
    close() {
      isClosed = true
      cancelTick()
      cancelSoon?.()
      calls.close()
    },
  }

  function noteCall(peerId: number): void {
    const hop = table.nextHop(peerId)
    if (hop === undefined || hop === peerId || connections.best(hop)?.isSharedNode) return
    relayTrust.noteCall(peerId, hop)
  }

  function tick(): void {
    cancelTick = clock.after(TICK_MS, tick)
    connections.tick()
    // That may have dropped the last connection, and closed everything with it.
    if (isClosed) return
    relayTrust.update()
    const isRerouted = relayChoice.update()
    if (isRerouted) table.reroute()
    if (table.tick(clock.now()) || isRerouted) changed()
    sessions.sync(clock.now())
  }

  /** Over UDP a packet may be lost, and the neighbour learns nothing until the call is repeated, so the limit is shorter. */
  function syncLimit(peerId: number, silences: number): number {
    const connection = connections.best(peerId)
    if (connection?.origin.transport !== 'udp') return SYNC_MS
    // A whole number, since the request carries it.
    const usual = Math.ceil(Math.max(SYNC_UDP_MS, 3 * (connection.roundTrip ?? 0)))
    return Math.min(SYNC_MS, usual * 2 ** silences)
  }

  function changed(): void {
    if (isClosed || cancelSoon) return
    cancelSoon = clock.after(0, () => {
      cancelSoon = undefined
      sessions.sync(clock.now())
      calls.reachChanged()
      options.onChanged()
    })
  }
}

/** A record for a new run, with a new route id and instance id. */
export function newRecord(
  fixed: Pick<PeerRecord, 'peerId' | 'hostname' | 'address' | 'programVersion' | 'features'>,
  randomBytes: (size: number) => Uint8Array,
): RoutingOptions['record'] {
  const hex = Array.from(randomBytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return {
    ...fixed,
    networkLength: NETWORK_LENGTH,
    udpNatType: 0,
    tcpNatType: 0,
    routeId: random64(randomBytes),
    instanceId: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
  }
}

/** The network part of addresses, in bits. */
const NETWORK_LENGTH = 24
