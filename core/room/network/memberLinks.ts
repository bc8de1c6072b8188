import { isLoopbackAddress } from '#core/addressRanges'
import { type Clock, sleep } from '#core/async/clock'
import { createEmitter } from '#core/async/emitter'
import { natTypeOf } from '#core/easytier/nat/natType'
import type { Network } from '#core/easytier/network'
import type { RemotePeer } from '#core/easytier/peer/peerOptions'
import type { MemberLink } from '../networkStatus'
import { createLinkMeter, type LinkMeter } from './linkMeter'
import { memberIdOf, probeLiveness, relayedBy } from './members'
import { relayReasonOf } from './relayReasonOf'

/** How often members are probed, and rates are read. */
export const MEASURE_MS = 3000

export type MemberLinks = {
  /** Of the members that were there at the last measurement or have come since. */
  list(): readonly MemberLink[]
  /** Calls after each measurement of at least one member. @returns a function that unsubscribes */
  onMeasured(listener: () => void): () => void
}

export type MemberLinksOptions = {
  readonly network: Pick<Network, 'peers' | 'call' | 'traffic' | 'natType'>
  /** Which members are measured. */
  readonly isMeant: (peer: RemotePeer) => boolean
  readonly isOnOwnSubnet: (address: string) => boolean
  /** Whether this machine makes direct connections. */
  readonly isDirect: boolean
  readonly clock: Clock
  readonly signal: AbortSignal
}

type Measured = { readonly meter: LinkMeter; relayedSince: number | undefined }

/** Measures how members are reached, from end to end: by small calls without effect, and by the bytes that pass anyway. */
export function measureMembers(options: MemberLinksOptions): MemberLinks {
  const { network, clock, signal } = options
  const measured = new Map<number, Measured>()
  const measurements = createEmitter<void>()
  void run().catch(() => undefined)
  return { list: () => members().map(toLink), onMeasured: measurements.subscribe }

  function members(): readonly RemotePeer[] {
    return network.peers().filter(options.isMeant)
  }

  async function run(): Promise<never> {
    for (;;) {
      await sleep(clock, MEASURE_MS, signal)
      const present = members()
      const ids = new Set(present.map(({ record }) => record.peerId))
      for (const id of measured.keys()) if (!ids.has(id)) measured.delete(id)
      for (const peer of present) measure(peer)
      if (present.length > 0) measurements.emit()
    }
  }

  function measure(peer: RemotePeer): void {
    const { peerId } = peer.record
    const { meter } = measuredOf(peer)
    meter.readTraffic(network.traffic(peerId), clock.now())
    const sentAt = clock.now()
    probeLiveness(
      network,
      peerId,
      MEASURE_MS,
      () => meter.noteAnswer(clock.now() - sentAt),
      () => meter.noteSilence(),
    )
  }

  function measuredOf({ record: { peerId }, connection }: RemotePeer): Measured {
    const entry = measured.get(peerId) ?? { meter: createLinkMeter(), relayedSince: undefined }
    measured.set(peerId, entry)
    if (connection) entry.relayedSince = undefined
    else entry.relayedSince ??= clock.now()
    return entry
  }

  function toLink(peer: RemotePeer): MemberLink {
    const { record, connection, via } = peer
    const { meter, relayedSince } = measuredOf(peer)
    const { latencyMs, loss, sentPerSecond, receivedPerSecond } = meter.values()
    return {
      memberId: memberIdOf(record.peerId),
      path: pathKindOf(peer),
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
            natHere: network.natType(),
            natThere: natTypeOf(record.udpNatType),
            relayedMs: clock.now() - (relayedSince ?? clock.now()),
          }),
    }
  }

  function pathKindOf({ connection, via }: RemotePeer): MemberLink['path'] {
    if (!connection) return via && 'relay'
    const { remoteAddress } = connection.origin
    const isNear =
      remoteAddress !== undefined &&
      (isLoopbackAddress(remoteAddress) || options.isOnOwnSubnet(remoteAddress))
    return isNear ? 'lan' : 'direct'
  }
}
