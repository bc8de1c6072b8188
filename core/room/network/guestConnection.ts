import { type Clock, sleep } from '#core/async/clock'
import type { DatagramFlow } from '#core/byteStream'
import { natTypeOf } from '#core/easytier/nat/natType'
import type { RemotePeer } from '#core/easytier/peer/peerOptions'
import type { Log } from '#core/log'
import type { NetworkStatus } from '../networkStatus'
import type { GuestConnection } from '../roomNetwork'
import { createHostDialer } from './hostDialer'
import { createHostQuestions } from './hostQuestions'
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
  const { privacy, known, clock, log } = options
  const { network, signal } = options.member
  let host = options.host.peer
  let hostId = host.record.peerId
  /** Whether the host has answered since it is taken for the host. */
  let hasAnswered = options.host.answer !== undefined
  let answeredAt = clock.now()
  let unreachableSince: number | undefined
  let isLost = false
  let latencyMs: number | undefined
  /** Members that have answered in the place of the lost host. */
  const otherHosts = new Set<number>()

  const questions = createHostQuestions({
    ...options,
    signal,
    onHost(peerId, { stream }) {
      stream.destroy()
      const next = findHost(network.peers()).find(({ record }) => record.peerId === peerId)
      if (!next || !isReplaceable()) return
      switchTo(next)
      hasAnswered = true
    },
    onOther: (peerId) => void otherHosts.add(peerId),
  })
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
    hostKey: known.key,
    checkHost(key) {
      hasAnswered = known.accepts(key)
      if (hasAnswered) known.note(key)
      return hasAnswered
    },
    isOneOfSeveral: () => options.host.isOneOfSeveral && findHost(network.peers()).length > 1,
    isOtherHostThere: () =>
      isReplaceable() && network.peers().some(({ record }) => otherHosts.has(record.peerId)),
    get host() {
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
    return network.datagrams(hostId, { address: host.record.address ?? '0.0.0.0', port })
  }

  function status(): NetworkStatus {
    return {
      privacy,
      nodes: network.nodes(),
      mappings: mappingsOf(network),
      friendRelay: friendRelayOf(network, options.isDirect),
      path: pathOf(host, latencyMs),
      difficulty: natDifficulty(network.natType(), natTypeOf(host.record.udpNatType)),
    }
  }

  /**
   * Searches for a new run of the host when the old one is not reachable any more: nothing but a member that proves the known key. A
   * host without a key cannot be told from another member after a restart, so that one is waited for.
   */
  function updateHost(): void {
    const hosts = findHost(network.peers())
    const same = hosts.find(({ record }) => record.peerId === hostId)
    const others = hosts.filter(({ record }) => record.peerId !== hostId)
    unreachableSince = same ? undefined : (unreachableSince ?? clock.now())
    host = same ?? host
    const [next] = isReplaceable() ? others : []
    if (known.key() !== undefined) questions.ask(next ? others.map(({ record }) => record.peerId) : [])
    else if (next && !known.isKeyless()) switchTo(next)
  }

  /** A host that was killed stays visible for a while after it has returned as another peer. */
  function isReplaceable(): boolean {
    return unreachableSince !== undefined || isLost || (known.key() !== undefined && !hasAnswered)
  }

  function switchTo(next: RemotePeer): void {
    log.info('the host has started anew')
    network.forgetPeer(hostId)
    host = next
    hostId = next.record.peerId
    hasAnswered = false
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
