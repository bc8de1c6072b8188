import { type Clock, createEmitter, type Emitter, sleep } from '@lantern-room/base/async'
import { isLoopbackAddress } from '@lantern-room/base/network'
import type { Network, RemotePeer } from '@lantern-room/easytier'
import { isSymmetric, type NatType, natTypes } from '@lantern-room/easytier'
import type { MemberLink, NetworkEvent, RelayReason } from '../../networkStatus'
import { createLinkMeter } from './linkMeter'
import type { MemberNetwork } from './memberNetwork'
import { memberIdOf, probeLiveness, relayedBy } from './members'

/** How often members are probed, and rates are read. */
export const MEASURE_MS = 3000

export type MemberLinksOptions = {
  readonly network: Pick<Network, 'peers' | 'call' | 'traffic' | 'natType'>
  /** Selects the members that are measured. */
  readonly isMeant: (peer: RemotePeer) => boolean
  readonly isOnOwnSubnet: (address: string) => boolean
  readonly isDirect: boolean
  readonly clock: Clock
  readonly signal: AbortSignal
}

type Measured = { readonly meter: ReturnType<typeof createLinkMeter>; relayedSince: number | undefined }

export type MemberLinks = ReturnType<typeof measureMembers>

/** Measures how members are reached, from end to end: by small calls without effect, and by the bytes that pass anyway. */
export function measureMembers(options: MemberLinksOptions) {
  const { network, clock, signal } = options
  const measured = new Map<number, Measured>()
  const measurements = createEmitter<void>()
  void run().catch(() => undefined)
  return {
    /** The links to the members that are in the network now. */
    list: (): readonly MemberLink[] => members().map((peer) => linkTo(peer, measuredOf(peer), options)),
    /** Calls after each measurement of at least one member. @returns a function that unsubscribes */
    onMeasured: measurements.subscribe,
  }

  function members(): readonly RemotePeer[] {
    return network.peers().filter(options.isMeant)
  }

  async function run(): Promise<never> {
    for (;;) {
      await sleep(clock, MEASURE_MS, signal)
      measureAll(members())
    }
  }

  function measureAll(present: readonly RemotePeer[]): void {
    const ids = new Set(present.map(({ record }) => record.peerId))
    for (const id of measured.keys()) if (!ids.has(id)) measured.delete(id)
    for (const peer of present) measure(peer.record.peerId, measuredOf(peer).meter, options)
    if (present.length > 0) measurements.emit()
  }

  function measuredOf({ record: { peerId }, connection }: RemotePeer): Measured {
    const entry = measured.get(peerId) ?? { meter: createLinkMeter(), relayedSince: undefined }
    measured.set(peerId, entry)
    if (connection) entry.relayedSince = undefined
    else entry.relayedSince ??= clock.now()
    return entry
  }
}

function measure(peerId: number, meter: Measured['meter'], { network, clock }: MemberLinksOptions): void {
  const sentAt = clock.now()
  meter.readTraffic(network.traffic(peerId), sentAt)
  probeLiveness(
    network,
    peerId,
    MEASURE_MS,
    () => meter.noteAnswer(clock.now() - sentAt),
    () => meter.noteSilence(),
  )
}

function linkTo(
  peer: RemotePeer,
  { meter, relayedSince }: Measured,
  options: MemberLinksOptions,
): MemberLink {
  const { record, connection, via } = peer
  const { latencyMs, loss, sentPerSecond, receivedPerSecond } = meter.values()
  const now = options.clock.now()
  return {
    memberId: memberIdOf(record.peerId),
    path: pathKindOf(peer, options.isOnOwnSubnet),
    transport: (connection ?? via)?.origin.transport,
    latencyMs: connection?.roundTrip ?? latencyMs,
    loss,
    sentPerSecond,
    receivedPerSecond,
    relayedBy: relayedBy(peer),
    relayReason: connection
      ? undefined
      : relayReasonOf({
          isDirectHere: options.isDirect,
          isDirectThere: !record.features.refusesDirect,
          natHere: options.network.natType(),
          natThere: options.network.natType(peer),
          relayedMs: now - (relayedSince ?? now),
        }),
  }
}

function pathKindOf(
  { connection, via }: RemotePeer,
  isOnOwnSubnet: (address: string) => boolean,
): MemberLink['path'] {
  if (!connection) return via && 'relay'
  const { remoteAddress } = connection.origin
  const isNear =
    remoteAddress !== undefined && (isLoopbackAddress(remoteAddress) || isOnOwnSubnet(remoteAddress))
  return isNear ? 'lan' : 'direct'
}

/** The longest that a search for an existing direct path takes. */
const SEARCH_MS = 20_000

/** Both ends of a relayed path. */
export type RelayedPair = {
  readonly isDirectHere: boolean
  readonly isDirectThere: boolean
  /** The NAT types of the UDP sockets. */
  readonly natHere: NatType
  readonly natThere: NatType
  /** How long the member has been reached only through a relay. */
  readonly relayedMs: number
}

/** Why two members have no direct connection. @see docs/network/nat-traversal.md */
export function relayReasonOf(pair: RelayedPair): RelayReason {
  const { natHere, natThere } = pair
  if (!pair.isDirectHere) return 'direct-off-here'
  if (!pair.isDirectThere) return 'direct-off-there'
  if (pair.relayedMs < SEARCH_MS) return 'searching'
  if (isSymmetric(natHere) && isSymmetric(natThere)) return 'strict-routers'
  if (natHere === natTypes.unknown) return 'no-udp-here'
  return natThere === natTypes.unknown ? 'no-udp-there' : 'not-found'
}

type NetworkEventSources = {
  readonly member: Pick<MemberNetwork, 'network'>
  readonly changes: Emitter<void>
  readonly links: MemberLinks
}

/** The events of a connection to a room, for hosts and guests alike. */
export function createNetworkEvents({
  member: { network },
  changes,
  links,
}: NetworkEventSources): Emitter<NetworkEvent> {
  const events = createEmitter<NetworkEvent>()
  changes.subscribe(() => {
    events.emit({ kind: 'members' })
    events.emit({ kind: 'status' })
  })
  links.onMeasured(() => {
    events.emit({ kind: 'links' })
    // The status has the bytes that we carry for others, which grow meanwhile.
    if (network.memberRelay()) events.emit({ kind: 'status' })
  })
  return events
}
