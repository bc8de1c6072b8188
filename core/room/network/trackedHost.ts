import type { Log } from '@lantern-room/base'
import { type Clock, sleep } from '@lantern-room/base/async'
import type { RemotePeer } from '@lantern-room/easytier'
import type { NetworkEvent } from '../networkStatus'
import type { MemberNetwork } from './members/memberNetwork'
import { findHost, probeLiveness } from './members/members'
import { createHostQuestions } from './search/hostQuestions'
import type { FoundRoom } from './search/roomDiscovery'

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

export type TrackedHostOptions = Pick<FoundRoom, 'member' | 'host' | 'known' | 'proof'> & {
  /** Receives `lost` and `back`. */
  readonly onEvent: (event: NetworkEvent) => void
  readonly clock: Clock
  readonly log: Log
}

/** The member that a guest takes for its host, and whether it answers. */
export class TrackedHost {
  readonly #options: TrackedHostOptions
  readonly #network: MemberNetwork['network']
  readonly #questions: ReturnType<typeof createHostQuestions>
  /** Members that have answered in the place of the lost host. */
  readonly #otherHosts = new Set<number>()
  /** Since when each other member that claims to be the host has been seen. */
  #othersSince: ReadonlyMap<number, number> = new Map()
  #peer: RemotePeer
  /** Whether the host has answered since it is taken for the host. */
  #hasAnswered: boolean
  #answeredAt: number
  #unreachableSince: number | undefined
  #isLost = false
  #isOneOfSeveral: boolean
  #latencyMs: number | undefined

  constructor(options: TrackedHostOptions) {
    const { member, host, clock } = options
    this.#options = options
    this.#network = member.network
    this.#peer = host.peer
    this.#hasAnswered = host.hasAnswered
    this.#isOneOfSeveral = host.isOneOfSeveral
    this.#answeredAt = clock.now()
    this.#questions = createHostQuestions({
      proof: options.proof,
      known: options.known,
      clock,
      signal: member.signal,
      onHost: (peerId) => this.#replaceBy(peerId),
      onOther: (peerId) => void this.#otherHosts.add(peerId),
    })
  }

  /** The host, as it was seen last. */
  get peer(): RemotePeer {
    return this.#peer
  }

  get id(): number {
    return this.#peer.record.peerId
  }

  /** The round trip of the last probe, from end to end. */
  get latencyMs(): number | undefined {
    return this.#latencyMs
  }

  /** Whether neither a key nor an answer tells who the host is, so that it was taken for want of another one. */
  get isAwaited(): boolean {
    return this.#options.known.isUnknown() && !this.#hasAnswered
  }

  /** Whether others that call themselves the host were there when this one answered first. */
  get isOneOfSeveral(): boolean {
    return this.#isOneOfSeveral
  }

  get isReachable(): boolean {
    return this.#unreachableSince === undefined
  }

  /** @see GuestConnection */
  check(key: Uint8Array | undefined): boolean {
    this.#hasAnswered = this.#options.known.accepts(key)
    if (this.#hasAnswered) this.#options.known.note(key)
    return this.#hasAnswered
  }

  /** Whether another member has answered in its place, while it is lost. */
  isOtherThere(): boolean {
    return (
      this.#isReplaceable() && this.#network.peers().some(({ record }) => this.#otherHosts.has(record.peerId))
    )
  }

  /**
   * Searches for a new run of the host when the old one is not reachable any more: nothing but a member that proves the known
   * key. For a host without a key, only a member with its name and address that was not there while it was. Until a host has
   * answered, every other candidate is asked, and the first that answers is the host.
   */
  update(): void {
    const hosts = findHost(this.#network.peers())
    const same = hosts.find(({ record }) => record.peerId === this.id)
    const others = hosts.filter(({ record }) => record.peerId !== this.id)
    this.#unreachableSince = same ? undefined : (this.#unreachableSince ?? this.#options.clock.now())
    this.#peer = same ?? this.#peer
    const since = (peerId: number) => this.#othersSince.get(peerId) ?? this.#options.clock.now()
    this.#othersSince = new Map(others.map(({ record: { peerId } }) => [peerId, since(peerId)]))
    const candidates = this.#isReplaceable() ? others : []
    const isKeyless = this.#options.known.isKeyless()
    this.#questions.ask(isKeyless ? [] : candidates.map(({ record }) => record.peerId))
    if (this.isAwaited && others.length > 0) this.#isOneOfSeveral = true
    const next = isKeyless
      ? candidates.find((other) => this.#mayBeItsNextRun(other))
      : this.#onlyOther(others)
    if (next) this.#switchTo(next)
  }

  /** Who is there in the place of one that has gone without an answer, where no other one may be meant. */
  #onlyOther([first, second]: readonly RemotePeer[]): RemotePeer | undefined {
    const hasGone = this.#options.known.isUnknown() && (!this.isReachable || this.#isLost)
    return hasGone && second === undefined ? first : undefined
  }

  /** Probes a quiet host, and notices when it is lost, until the network ends. @throws the signal's reason */
  async watch(): Promise<never> {
    let probedAt = Number.NEGATIVE_INFINITY
    for (;;) {
      const now = this.#options.clock.now()
      const silenceMs = now - this.#aliveAt()
      const isProbeDue = silenceMs >= QUIET_MS && now - probedAt >= PROBE_MS
      // The first answer shows that the host knows us, too.
      if (this.#latencyMs === undefined || isProbeDue) {
        probedAt = now
        this.#probe(this.id, now)
      }
      const isUnreachable =
        this.#unreachableSince !== undefined && now - this.#unreachableSince >= UNREACHABLE_MS
      this.#setLost(silenceMs >= LOST_MS || isUnreachable)
      await sleep(
        this.#options.clock,
        this.#latencyMs === undefined ? FIRST_PROBE_MS : CHECK_MS,
        this.#options.member.signal,
      )
      this.update()
    }
  }

  /** A host that was killed stays visible for a while after it has returned as another peer. */
  #isReplaceable(): boolean {
    const { known } = this.#options
    return !this.isReachable || this.#isLost || (!this.#hasAnswered && !known.isKeyless())
  }

  /** The last sign of the host. */
  #aliveAt(): number {
    return Math.max(this.#answeredAt, this.#network.lastSeenAt(this.id) ?? 0)
  }

  #mayBeItsNextRun({ record }: RemotePeer): boolean {
    const { hostname, address } = this.#peer.record
    const since = this.#othersSince.get(record.peerId) ?? 0
    return record.hostname === hostname && record.address === address && since > this.#aliveAt()
  }

  /** A member has proved that it is the host. */
  #replaceBy(peerId: number): void {
    const next = findHost(this.#network.peers()).find(({ record }) => record.peerId === peerId)
    if (!next || !this.#isReplaceable()) return
    this.#switchTo(next)
    this.#hasAnswered = true
  }

  #switchTo(next: RemotePeer): void {
    this.#options.log.info(
      this.isAwaited ? 'another member is taken for the host' : 'the host has started anew',
    )
    this.#network.forgetPeer(this.id)
    this.#peer = next
    this.#hasAnswered = false
    this.#unreachableSince = undefined
    this.#answeredAt = this.#options.clock.now()
    this.#isLost = false
    this.#options.onEvent({ kind: 'back', isRestarted: true })
  }

  #probe(peerId: number, at: number): void {
    probeLiveness(this.#network, peerId, LOST_MS, () => {
      if (peerId !== this.id) return
      const now = this.#options.clock.now()
      this.#answeredAt = Math.max(this.#answeredAt, now)
      this.#latencyMs = now - at
      this.#setLost(false)
    })
  }

  #setLost(next: boolean): void {
    if (next === this.#isLost) return
    this.#isLost = next
    if (next) this.#options.log.warn('the host does not answer')
    this.#options.onEvent(next ? { kind: 'lost' } : { kind: 'back', isRestarted: false })
  }
}
