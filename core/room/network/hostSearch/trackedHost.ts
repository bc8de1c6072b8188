import type { Log } from '@lantern-room/base'
import { type Alarm, type Clock, createAlarm, createEmitter } from '@lantern-room/base/async'
import type { RemotePeer } from '@lantern-room/easytier'
import type { NetworkEvent } from '../../networkStatus'
import { findHost, probeLiveness } from '../members/members'
import type { FoundRoom } from './discovery'
import type { HostQuestions, KnownHost } from './hostProof'
import { checkSigns, considerOthers, type HostState, isReplaceable, LOST_MS } from './policy'

export type TrackedHostOptions = {
  readonly found: FoundRoom
  readonly known: KnownHost
  readonly clock: Clock
  readonly log: Log
}

/** The member that a guest takes for its host, whether it answers, and who takes its place. */
export class TrackedHost {
  readonly #options: TrackedHostOptions
  readonly #network: FoundRoom['member']['network']
  readonly #questions: HostQuestions
  readonly #events = createEmitter<NetworkEvent>()
  /** Since when each other member that claims to be the host has been seen. */
  #othersSince: ReadonlyMap<number, number> = new Map()
  #peer: RemotePeer
  /** Whether the host has answered since it is taken for the host. */
  #hasAnswered: boolean
  #answeredAt: number
  #probedAt = Number.NEGATIVE_INFINITY
  /** Whether it has answered since a route has led to it. */
  #hasAnsweredProbe = false
  /** Ends the pause before the next look at its signs. */
  readonly #alarm: Alarm
  #unreachableSince: number | undefined
  #isLost = false
  #isOneOfSeveral: boolean
  #latencyMs: number | undefined

  private constructor(options: TrackedHostOptions) {
    const { member, host, questions } = options.found
    this.#options = options
    this.#network = member.network
    this.#questions = questions
    this.#peer = host.peer
    this.#hasAnswered = host.hasAnswered
    this.#isOneOfSeveral = host.isOneOfSeveral
    this.#answeredAt = options.clock.now()
    this.#alarm = createAlarm(options.clock)
  }

  /** Watches the host that was found until its network ends. */
  static watch(options: TrackedHostOptions): TrackedHost {
    const host = new TrackedHost(options)
    options.found.changes.subscribe(() => host.#update())
    host.#run().catch(() => undefined)
    return host
  }

  /** Calls with `lost` and `back`. */
  onEvent(listener: (event: NetworkEvent) => void): void {
    this.#events.subscribe(listener)
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
    return this.#options.known.identity === 'unknown' && !this.#hasAnswered
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
    const { known } = this.#options
    this.#hasAnswered = known.accepts(key)
    if (this.#hasAnswered) known.note(key)
    return this.#hasAnswered
  }

  /** Whether another member has answered in its place, while it is lost. */
  isOtherThere(): boolean {
    return isReplaceable(this.#state()) && this.#questions.others(this.#network.peers()).length > 0
  }

  /** Sees who is there, and takes another member for the host where the policy says so. */
  #update(): void {
    const { clock } = this.#options
    const hosts = findHost(this.#network.peers())
    const same = hosts.find(({ record }) => record.peerId === this.id)
    const others = hosts.filter(({ record }) => record.peerId !== this.id)
    if (same && !this.isReachable) {
      this.#hasAnsweredProbe = false
      this.#alarm.wake()
    }
    this.#unreachableSince = same ? undefined : (this.#unreachableSince ?? clock.now())
    this.#peer = same ?? this.#peer
    const since = (peerId: number) => this.#othersSince.get(peerId) ?? clock.now()
    this.#othersSince = new Map(others.map(({ record: { peerId } }) => [peerId, since(peerId)]))
    if (this.isAwaited && others.length > 0) this.#isOneOfSeveral = true
    const { asked, next } = considerOthers(this.#state(), others, (other) => this.#mayBeNextRun(other))
    this.#questions.ask(asked)
    const [proved] = this.#questions.proved(asked)
    const host = proved ?? next
    if (host) this.#switchTo(host, proved !== undefined)
  }

  /** Probes a quiet host, and notices when it is lost, until the network ends. @throws the signal's reason */
  async #run(): Promise<never> {
    const { clock, found } = this.#options
    for (;;) {
      const now = clock.now()
      const { isLost, isProbeDue, againMs } = checkSigns({
        silenceMs: now - this.#aliveAt(),
        unreachableMs: this.#unreachableSince === undefined ? undefined : now - this.#unreachableSince,
        probedMs: now - this.#probedAt,
        hasAnsweredProbe: this.#hasAnsweredProbe || !this.isReachable,
      })
      if (isProbeDue) this.#probe(this.id, now)
      this.#setLost(isLost)
      await this.#alarm.wait(againMs, found.member.signal)
      this.#update()
    }
  }

  #state(): HostState {
    return {
      identity: this.#options.known.identity,
      hasAnswered: this.#hasAnswered,
      isReachable: this.isReachable,
      isLost: this.#isLost,
    }
  }

  /** The last sign of the host. */
  #aliveAt(): number {
    return Math.max(this.#answeredAt, this.#network.lastSeenAt(this.id) ?? 0)
  }

  #mayBeNextRun({ record }: RemotePeer): boolean {
    const { hostname, address } = this.#peer.record
    const since = this.#othersSince.get(record.peerId) ?? 0
    return record.hostname === hostname && record.address === address && since > this.#aliveAt()
  }

  #switchTo(next: RemotePeer, hasAnswered: boolean): void {
    const { clock, log } = this.#options
    log.info(this.isAwaited ? 'another member is taken for the host' : 'the host has started anew')
    this.#network.forgetPeer(this.id)
    this.#peer = next
    this.#hasAnswered = hasAnswered
    this.#unreachableSince = undefined
    this.#answeredAt = clock.now()
    this.#isLost = false
    this.#events.emit({ kind: 'back', isRestarted: true })
  }

  #probe(peerId: number, at: number): void {
    this.#probedAt = at
    probeLiveness(this.#network, peerId, LOST_MS, () => {
      if (peerId !== this.id) return
      const now = this.#options.clock.now()
      this.#answeredAt = Math.max(this.#answeredAt, now)
      this.#hasAnsweredProbe = true
      this.#latencyMs = now - at
      this.#setLost(false)
    })
  }

  #setLost(next: boolean): void {
    if (next === this.#isLost) return
    this.#isLost = next
    if (next) this.#options.log.warn('the host does not answer')
    this.#events.emit(next ? { kind: 'lost' } : { kind: 'back', isRestarted: false })
  }
}
