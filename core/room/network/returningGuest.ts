import { type Clock, sleep } from '#core/async/clock'
import { createDeferred } from '#core/async/deferred'
import { createEmitter } from '#core/async/emitter'
import type { Log } from '#core/log'
import type { NetworkEvent } from '../networkStatus'
import type { GuestConnection } from '../roomNetwork'

/** A guest in one run of the network of a private room. */
export type GuestSession = {
  readonly connection: GuestConnection
  /** Whether it has left the network of the code for one with another secret. */
  hasMoved(): boolean
  follow(secret: Uint8Array): void
  close(reason: Error): Promise<void>
}

/** How long to wait after the same host was found by the code: its streams go on if it comes back in the present network. */
const STAY_MS = 10_000
/** Each search takes 15 s by itself. */
const AGAIN_MS = 2000

export type ReturningGuestOptions = {
  readonly first: GuestSession
  /** Joins anew by the code; what it resolves with is closed by the signal, too. */
  readonly search: (signal: AbortSignal) => Promise<GuestSession>
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/**
 * A guest of a private room, which follows the host to networks with other secrets. When the host is lost there, it is
 * searched for by the code as well: it may have been restarted, or have changed the secret while this guest was away. A guest
 * that is found so is another member, and its streams are gone.
 */
export function createReturningGuest(options: ReturningGuestOptions): GuestConnection {
  const guest = new ReturningGuest(options)
  return {
    members: () => guest.connection.members(),
    links: () => guest.connection.links(),
    status: () => guest.connection.status(),
    onEvent: guest.events.subscribe,
    closed: guest.closed,
    hostKey: () => guest.connection.hostKey(),
    checkHost: (key) => guest.connection.checkHost(key),
    isOneOfSeveral: () => guest.connection.isOneOfSeveral(),
    isOtherHostThere: () => guest.connection.isOtherHostThere(),
    get host() {
      return guest.connection.host
    },
    dial: (port, signal, patienceMs) => guest.connection.dial(port, signal, patienceMs),
    datagrams: (port) => guest.connection.datagrams(port),
    follow: (secret) => guest.follow(secret),
  }
}

class ReturningGuest {
  readonly events = createEmitter<NetworkEvent>()
  readonly closed: Promise<void>
  readonly #options: ReturningGuestOptions
  readonly #ended = createDeferred()
  #current: GuestSession
  #isLost = false
  /** Ends the search for the host by the code, while there is one. */
  #searching: AbortController | undefined
  #search: Promise<void> = Promise.resolve()

  constructor(options: ReturningGuestOptions) {
    this.#options = options
    this.#current = options.first
    this.#watch(options.first)
    this.closed = this.#ended.promise.finally(() => this.#search)
    this.closed.catch(() => undefined)
  }

  get connection(): GuestConnection {
    return this.#current.connection
  }

  follow(secret: Uint8Array): void {
    this.#current.follow(secret)
  }

  #watch(session: GuestSession): void {
    session.connection.onEvent((event) => {
      if (session === this.#current) this.#hear(event)
    })
    session.connection.closed.then(
      () => session === this.#current && this.#ended.resolve(),
      (error: unknown) => {
        if (session !== this.#current) return
        this.#searching?.abort(error)
        this.#ended.reject(error)
      },
    )
  }

  #hear(event: NetworkEvent): void {
    if (event.kind === 'lost' || event.kind === 'back') this.#isLost = event.kind === 'lost'
    if (!this.#isLost) this.#searching?.abort(new Error('the host is back'))
    // It may leave the network of the code while the host is lost.
    else if (this.#current.hasMoved()) this.#startSearch()
    this.events.emit(event)
  }

  #startSearch(): void {
    if (this.#searching) return
    const controller = new AbortController()
    this.#searching = controller
    const signal = AbortSignal.any([this.#options.signal, controller.signal])
    this.#search = this.#comeBack(signal)
      .catch(() => undefined)
      .finally(() => {
        this.#searching = undefined
      })
  }

  /** Ends, with an error, when the host is back. */
  async #comeBack(signal: AbortSignal): Promise<void> {
    const { search, clock, log } = this.#options
    for (;;) {
      const found = await search(signal).catch((error: unknown) => {
        signal.throwIfAborted()
        log.debug('the host is not found by the code', { cause: String(error) })
      })
      if (found) return await this.#exchange(found, signal)
      await sleep(clock, AGAIN_MS, signal)
    }
  }

  async #exchange(found: GuestSession, signal: AbortSignal): Promise<void> {
    const old = this.#current
    const isSameHost = found.connection.host.member.id === old.connection.host.member.id
    try {
      if (isSameHost) await sleep(this.#options.clock, STAY_MS, signal)
    } catch (error) {
      await found.connection.closed
      throw error
    }
    this.#options.log.info('the host was found by the code again')
    this.#current = found
    this.#isLost = false
    this.#watch(found)
    this.events.emit({ kind: 'back', isRestarted: true })
    await old.close(new Error('the host was found by the code again'))
  }
}
