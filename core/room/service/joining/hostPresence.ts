import { type Clock, createAlarm } from '@lantern-room/base/async'
import { isLongLoss, type Loss, returnAgainMs } from '../../network/hostSearch/policy'
import type { GuestConnection } from '../../roomNetwork'
import type { HostLink } from './hostLink'

export type HostPresenceOptions = {
  readonly connection: Pick<GuestConnection, 'onEvent'>
  readonly link: Pick<HostLink, 'drop'>
  readonly clock: Clock
}

/** What the network tells a guest of its host. The stream to a host that is lost is dropped, so that no call waits for its answer. */
export class HostPresence {
  readonly #clock: Clock
  readonly #alarm: ReturnType<typeof createAlarm>
  #isLost = false
  /** When the network has lost or found it, whichever came last. */
  #changedAt: number
  #unsubscribe = () => {}

  private constructor(clock: Clock) {
    this.#clock = clock
    this.#alarm = createAlarm(clock)
    this.#changedAt = clock.now()
  }

  static watch({ connection, link, clock }: HostPresenceOptions): HostPresence {
    const host = new HostPresence(clock)
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

  /** The pause before the next attempt, which a change of the network ends. @returns false when it is time to give up. @throws the signal's reason */
  async pause(signal: AbortSignal): Promise<boolean> {
    const ms = returnAgainMs(this.#now())
    if (ms === undefined) return false
    await this.#host.change(ms, signal)
    return true
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
