import { type Clock, sleep } from '#core/async/clock'
import type { DatagramFlow } from '#core/byteStream'
import { natTypeOf } from '#core/easytier/nat/natType'
import type { RemotePeer } from '#core/easytier/peer/peer'
import type { Log } from '#core/log'
import type { NetworkStatus } from '../networkStatus'
import type { GuestConnection } from '../roomNetwork'
import { createHostDialer, unreachable } from './hostDialer'
import type { MemberLinks } from './memberLinks'
import { friendRelayOf, mappingsOf } from './memberNetwork'
import {
  findHost,
  isMember,
  isOurProgram,
  memberIdOf,
  pathOf,
  probeLiveness,
  roomPortOf,
  toMember,
} from './members'
import { natDifficulty } from './natDifficulty'
import { createNetworkEvents } from './networkEvents'
import type { FoundRoom } from './roomDiscovery'

/** After this much silence the host is probed, */
const QUIET_MS = 4000
/** this often, */
const PROBE_MS = 1000
/** and at first, until it has answered once. */
const FIRST_PROBE_MS = 250
/** After this much silence the host is lost. */
const LOST_MS = 6000
/** Where no route to the host is left it is lost sooner. */
const UNREACHABLE_MS = 1500
const CHECK_MS = 500

/** A guest's connection to the one host that it has found. */
export function createGuestConnection(
  options: FoundRoom & {
    readonly links: MemberLinks
    /** Whether this machine makes direct connections. */
    readonly isDirect: boolean
    readonly clock: Clock
    readonly log: Log
  },
): GuestConnection {
  const { privacy, clock, log } = options
  const { network, signal } = options.member
  let host = findHost(network.peers())[0]
  let hostId = host?.record.peerId ?? 0
  let answeredAt = clock.now()
  let unreachableSince: number | undefined
  let isLost = false
  let latencyMs: number | undefined

  options.changes.subscribe(updateHost)
  const events = createNetworkEvents(options)
  void watch().catch(() => undefined)

  return {
    members: () =>
      network
        .peers()
        .filter(isMember)
        .map((member) => toMember(member, latencyMs)),
    links: () => options.links.list().filter(({ memberId }) => memberId === memberIdOf(hostId)),
    status,
    onEvent: events.subscribe,
    closed: options.member.closed,
    get host() {
      if (!host) throw unreachable()
      const { hostname, programVersion } = host.record
      return {
        member: toMember(host, latencyMs),
        roomPort: roomPortOf(hostname) ?? 0,
        isOurs: isOurProgram(programVersion),
      }
    },
    dial: createHostDialer({
      network,
      host: () => host,
      isSeen: () => unreachableSince === undefined,
      clock,
      signal,
    }),
    datagrams,
  }

  function datagrams(port: number): DatagramFlow {
    return network.datagrams(hostId, { address: host?.record.address ?? '0.0.0.0', port })
  }

  function status(): NetworkStatus {
    return {
      privacy,
      nodes: network.nodes(),
      mappings: mappingsOf(network),
      friendRelay: friendRelayOf(network, options.isDirect),
      path: host && pathOf(host, latencyMs),
      difficulty: host && natDifficulty(network.natType(), natTypeOf(host.record.udpNatType)),
    }
  }

  /** Switches to a new run of the host when the old one is not reachable any more. */
  function updateHost(): void {
    const hosts = findHost(network.peers())
    const same = hosts.find(({ record }) => record.peerId === hostId)
    const next = hosts.find(({ record }) => record.peerId !== hostId)
    unreachableSince = same ? undefined : (unreachableSince ?? clock.now())
    // A host that was killed stays visible for a while after it has returned as another peer.
    const isReplaced = next !== undefined && (!same || isLost)
    if (isReplaced) switchTo(next)
    else host = same ?? host
  }

  function switchTo(next: RemotePeer): void {
    log.info('the host has started anew')
    network.forgetPeer(hostId)
    host = next
    hostId = next.record.peerId
    unreachableSince = undefined
    answeredAt = clock.now()
    isLost = false
    events.emit({ kind: 'back', isRestarted: true })
  }

  /** Probes a quiet host, and notices when it is lost. */
  async function watch(): Promise<never> {
    let probedAt = Number.NEGATIVE_INFINITY
    for (;;) {
      const now = clock.now()
      const silenceMs = now - Math.max(answeredAt, network.lastSeenAt(hostId) ?? 0)
      const isProbeDue = silenceMs >= QUIET_MS && now - probedAt >= PROBE_MS
      // The first answer shows that the host knows us, too.
      if (latencyMs === undefined || isProbeDue) {
        probedAt = now
        probe(hostId, now)
      }
      const isUnreachable = unreachableSince !== undefined && now - unreachableSince >= UNREACHABLE_MS
      setLost(silenceMs >= LOST_MS || isUnreachable)
      await sleep(clock, latencyMs === undefined ? FIRST_PROBE_MS : CHECK_MS, signal)
      updateHost()
    }
  }

  function probe(peerId: number, at: number): void {
    probeLiveness(network, peerId, LOST_MS, () => {
      if (peerId !== hostId) return
      const now = clock.now()
      answeredAt = Math.max(answeredAt, now)
      latencyMs = now - at
      setLost(false)
    })
  }

  function setLost(next: boolean): void {
    if (next === isLost) return
    isLost = next
    if (isLost) log.warn('the host does not answer')
    events.emit(isLost ? { kind: 'lost' } : { kind: 'back', isRestarted: false })
  }
}
