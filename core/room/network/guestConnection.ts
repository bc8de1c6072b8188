import { sleep } from '#core/async/alarm'
import { within } from '#core/async/deadline'
import { createEmitter } from '#core/async/emitter'
import type { ByteStream, DatagramFlow } from '#core/byteStream'
import type { Clock } from '#core/clock'
import { natTypeOf } from '#core/easytier/nat/natType'
import type { RemotePeer } from '#core/easytier/peer/peer'
import type { Log } from '#core/log'
import { RoomFailure } from '../failure'
import type { GuestConnection, NetworkEvent, NetworkStatus } from '../ports'
import { mappingsOf } from './mappingsOf'
import type { MemberLinks } from './memberLinks'
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
const DIAL_MS = 10_000
/** A host that refuses relayed streams answers once it is reached directly, so a dial is begun anew. */
const REDIAL_MS = 1500
const REDIAL_PAUSE_MS = 50

/** A guest's connection to the one host that it has found. */
export function createGuestConnection(
  options: FoundRoom & { readonly links: MemberLinks; readonly clock: Clock; readonly log: Log },
): GuestConnection {
  const { privacy, clock, log } = options
  const { network, signal } = options.member
  const events = createEmitter<NetworkEvent>()
  let host = findHost(network.peers())[0]
  let hostId = host?.record.peerId ?? 0
  let answeredAt = clock.now()
  let unreachableSince: number | undefined
  let isLost = false
  let latencyMs: number | undefined

  options.changes.subscribe(() => {
    updateHost()
    events.emit({ kind: 'members' })
    events.emit({ kind: 'status' })
  })
  options.links.onMeasured(() => events.emit({ kind: 'links' }))
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
    dial,
    datagrams,
  }

  async function dial(port: number, dialSignal?: AbortSignal, patienceMs = DIAL_MS): Promise<ByteStream> {
    const startedAt = clock.now()
    const either = dialSignal ? AbortSignal.any([signal, dialSignal]) : signal
    for (;;) {
      const limitMs = unreachableSince === undefined ? patienceMs : DIAL_MS
      const stream = await tryDial(port, startedAt + limitMs - clock.now(), either)
      if (stream) return stream
      await sleep(clock, REDIAL_PAUSE_MS, either)
    }
  }

  /** @returns undefined when there is time for another attempt. @throws RoomFailure `host-unreachable` */
  async function tryDial(
    port: number,
    leftMs: number,
    dialSignal: AbortSignal,
  ): Promise<ByteStream | undefined> {
    try {
      return await dialOnce(port, Math.max(0, Math.min(REDIAL_MS, leftMs)), dialSignal)
    } catch (cause) {
      dialSignal.throwIfAborted()
      if (isRefusal(cause)) throw unreachable(cause)
      if (leftMs > REDIAL_MS + FIRST_PROBE_MS) return undefined
      throw host?.connection ? unreachable(cause) : noDirectPath(cause)
    }
  }

  async function dialOnce(port: number, ms: number, dialSignal: AbortSignal): Promise<ByteStream> {
    const address = host?.record.address
    if (address === undefined) throw unreachable()
    const controller = new AbortController()
    const opening = network.dial(hostId, { address, port }, AbortSignal.any([dialSignal, controller.signal]))
    try {
      return await within(clock, ms, opening, () => new Error('no answer'))
    } catch (error) {
      controller.abort(error)
      opening.then((stream) => stream.destroy()).catch(() => undefined)
      throw error
    }
  }

  function datagrams(port: number): DatagramFlow {
    return network.datagrams(hostId, { address: host?.record.address ?? '0.0.0.0', port })
  }

  function status(): NetworkStatus {
    return {
      privacy,
      nodes: network.nodes(),
      mappings: mappingsOf(network),
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

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'reason' in error && error.reason === 'refused'
}

const NO_DIRECT_PATH =
  'No direct path to your friend was found, and their launcher takes no relayed one: try another network on either side, such as a phone’s hotspot, or let another player host.'

function noDirectPath(cause: unknown): RoomFailure {
  return new RoomFailure('host-unreachable', 'The host was found, but no path to it carries a connection.', {
    cause,
    hint: NO_DIRECT_PATH,
  })
}

function unreachable(cause?: unknown): RoomFailure {
  return new RoomFailure('host-unreachable', 'The host does not take the connection.', { cause })
}
