import { type Alarm, type Clock, createAlarm } from '@lantern-room/base/async'
import { otherEncryption, type RoomFailure } from '../../failure'
import { isLongLoss, isUnreadable, type Loss, returnAgainMs } from '../../network/hostSearch/policy'
import type { GuestConnection } from '../../roomNetwork'
import type { HostLink } from './hostLink'

export type HostPresenceOptions = {
  readonly connection: Pick<GuestConnection, 'onEvent' | 'isHostUnreadable'>
  readonly link: Pick<HostLink, 'drop'>
  readonly clock: Clock
}

/** What the network tells a guest of its host. The stream to a host that is lost is dropped, so that no call waits for its answer. */
export class HostPresence {
  readonly #connection: HostPresenceOptions['connection']
  readonly #clock: Clock
  readonly #alarm: Alarm
  #isLost = false
  /** When the network has lost or found it, whichever came last. */
  #changedAt: number
  #unsubscribe = () => {}

  private constructor({ connection, clock }: HostPresenceOptions) {
    this.#connection = connection
    this.#clock = clock
    this.#alarm = createAlarm(clock)
    this.#changedAt = clock.now()
  }

  static watch(options: HostPresenceOptions): HostPresence {
    const { connection, link, clock } = options
    const host = new HostPresence(options)
    host.#unsubscribe = connection.onEvent(({ kind }) => {
      if (kind !== 'lost' && kind !== 'back') return
      host.#isLost = kind === 'lost'
      host.#changedAt = clock.now()
      if (host.#isLost) link.drop()
      host.#alarm.wake()
    })
    return host
  }

  get isLost(): boolean {
    return this.#isLost
  }

  get changedAt(): number {
    return this.#changedAt
  }

  /** Whether it is there, and sends what cannot be opened. */
  get isUnreadable(): boolean {
    return this.#connection.isHostUnreadable()
  }

  /** Resolves after `ms` milliseconds, or when the network loses or finds the host. @throws the signal's reason */
  change(ms: number, signal: AbortSignal): Promise<void> {
    return this.#alarm.wait(ms, signal)
  }

  /** The host does not answer from now on. @param waits whether the player has ordered to wait for it */
  lose(waits: boolean): HostLoss {
    return new HostLoss(this, waits, this.#clock)
  }

  leave(): void {
    this.#unsubscribe()
  }
}

/** The time in which a guest tries in vain to return to its host. */
class HostLoss {
  readonly #host: HostPresence
  readonly #waits: boolean
  readonly #clock: Clock
  #lostAt: number
  #unreadableSince: number | undefined

  constructor(host: HostPresence, waits: boolean, clock: Clock) {
    this.#host = host
    this.#waits = waits
    this.#clock = clock
    this.#lostAt = clock.now()
  }

  /** The host has answered, but not let the player in: that time does not count. */
  answered(): void {
    this.#lostAt = this.#clock.now()
  }

  /** Whether the player is told that the host is waited for. */
  get isLong(): boolean {
    return isLongLoss(this.#now())
  }

  /**
   * The pause before the next attempt, which a change of the network ends.
   * @param givenUp what is thrown when the host has been away for too long
   * @throws RoomFailure that one, or `host-unreachable` where the host is there and encrypts otherwise; or the signal's reason
   */
  async pause(signal: AbortSignal, givenUp: () => RoomFailure): Promise<void> {
    if (isUnreadable(this.#unreadableMs())) throw otherEncryption()
    const ms = returnAgainMs(this.#now())
    if (ms === undefined) throw givenUp()
    await this.#host.change(ms, signal)
  }

  #unreadableMs(): number | undefined {
    const now = this.#clock.now()
    this.#unreadableSince = this.#host.isUnreadable ? (this.#unreadableSince ?? now) : undefined
    return this.#unreadableSince === undefined ? undefined : now - this.#unreadableSince
  }

  #now(): Loss {
    const now = this.#clock.now()
    return {
      lostMs: now - this.#lostAt,
      unchangedMs: now - Math.max(this.#lostAt, this.#host.changedAt),
      waits: this.#waits,
    }
  }
}
