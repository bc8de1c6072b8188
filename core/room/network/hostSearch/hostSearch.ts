import { createDeferred, createEmitter, handled, onAbort, sleep } from '@lantern-room/base/async'
import type { NetworkEvent } from '../../networkStatus'
import type { FindOptions, GuestConnection, JoinOptions } from '../../roomNetwork'
import type { RoomNetworkOptions } from '../members/memberNetwork'
import { discoverRoom, type FoundRoom } from './discovery'
import { createGuestConnection, type GuestOptions, type GuestSession, openSession } from './guestConnection'
import { KnownHost } from './hostProof'
import { STAY_MS, searchLostAgainMs } from './policy'

/**
 * A guest's search for the host of a room: by the code at first, then, for as long as the guest stays, for whoever takes the host's
 * place in the network (`TrackedHost`). A guest of a private room follows its host to networks with other secrets. When the host is
 * lost there, it is searched for by the code as well: it may have been restarted, or have changed the secret while this guest was
 * away. So it is where the network itself has failed, and the guest outlives that. A guest that is found so is another member, and its
 * streams are gone.
 */
export class HostSearch {
  readonly #guest: GuestOptions
  readonly #events = createEmitter<NetworkEvent>()
  readonly #ended = createDeferred()
  #session: GuestSession
  #isLost = false
  /** Whether a network of this guest has failed by itself. */
  #hasFailed = false
  /** Ends the search for the host by the code, while there is one. */
  #searching: AbortController | undefined
  #ending: Promise<void> = Promise.resolve()
  /** To the host, whichever member that is. */
  readonly connection: GuestConnection

  private constructor(guest: GuestOptions, session: GuestSession) {
    this.#guest = guest
    this.#session = session
    const closed = handled(this.#ended.promise.finally(() => this.#ending))
    this.connection = createGuestConnection(guest, () => this.#session, this.#events.subscribe, closed)
  }

  /**
   * Resolves when the host was found.
   * @param signal ends the search, and everything that it has opened
   * @throws RoomFailure as `discoverRoom` does
   */
  static async open(
    options: RoomNetworkOptions,
    request: Omit<JoinOptions, 'signal'>,
    signal: AbortSignal,
  ): Promise<HostSearch> {
    request.onStep('starting')
    const known = new KnownHost(request.hostKey, request.onHostKey)
    const found = await discoverRoom(options, request, known, signal)
    request.onStep('host-found')
    const { room, outlivesNetwork = false } = request
    return HostSearch.from({ options, room, known, outlivesNetwork, signal }, found)
  }

  /** Goes on from a room in which the host was found. */
  static from(guest: GuestOptions, found: FoundRoom): HostSearch {
    const search = new HostSearch(guest, openSession(guest, found))
    search.#watch()
    return search
  }

  /**
   * Searches for a host, and leaves. Whoever only looks is gone before a router or a server for addresses could help.
   * @throws RoomFailure as `discoverRoom` does
   */
  static async look(options: RoomNetworkOptions, { room, signal }: FindOptions): Promise<void> {
    const transports = { ...options.transports, routers: undefined }
    const looking = { ...options, transports, stunServers: [], friendRelay: false }
    const { member } = await discoverRoom(looking, { room }, new KnownHost(), signal)
    await member.close(new Error('the host was found'))
  }

  #watch(): void {
    const session = this.#session
    const isCurrent = () => session === this.#session
    session.onEvent((event) => {
      if (isCurrent()) this.#hear(event)
    })
    session.member.closed.then(
      () => isCurrent() && this.#ended.resolve(),
      (error: unknown) => {
        if (isCurrent()) this.#fail(error)
      },
    )
  }

  /** The present network has failed by itself. */
  #fail(error: unknown): void {
    const { outlivesNetwork, signal } = this.#guest
    if (!outlivesNetwork) {
      this.#searching?.abort(error)
      this.#ended.reject(error)
      return
    }
    // A network that has failed does not tell of the end.
    if (!this.#hasFailed) onAbort(signal, () => void this.#end())
    this.#hasFailed = true
    this.#isLost = true
    this.#searchAgain()
    this.#events.emit({ kind: 'lost' })
  }

  async #end(): Promise<void> {
    await this.#session.member.closed.catch(() => undefined)
    this.#ended.resolve()
  }

  #hear(event: NetworkEvent): void {
    if (event.kind === 'lost' || event.kind === 'back') this.#isLost = event.kind === 'lost'
    if (!this.#isLost) this.#searching?.abort(new Error('the host is back'))
    // It may leave the network of the code while the host is lost.
    else if (this.#session.follower.hasMoved()) this.#searchAgain()
    this.#events.emit(event)
  }

  #searchAgain(): void {
    if (this.#searching) return
    this.#searching = new AbortController()
    this.#ending = this.#comeBack(AbortSignal.any([this.#guest.signal, this.#searching.signal]))
      .catch(() => undefined)
      .finally(() => {
        this.#searching = undefined
      })
  }

  /** Ends, with an error, when the host is back. */
  async #comeBack(signal: AbortSignal): Promise<void> {
    const { options, room, known } = this.#guest
    const startedAt = options.clock.now()
    let found: FoundRoom | undefined
    while (!found) {
      try {
        found = await discoverRoom(options, { room }, known, signal)
      } catch (error) {
        signal.throwIfAborted()
        options.log.debug('the host is not found by the code', { cause: String(error) })
        await sleep(options.clock, searchLostAgainMs(options.clock.now() - startedAt), signal)
      }
    }
    await this.#exchange(openSession(this.#guest, found), signal)
  }

  async #exchange(found: GuestSession, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#guest.options
    const old = this.#session
    try {
      const mayGoOn = found.host.id === old.host.id && !old.member.signal.aborted
      if (mayGoOn) await sleep(clock, STAY_MS, signal)
    } catch (error) {
      await found.member.closed
      throw error
    }
    log.info('the host was found by the code again')
    this.#session = found
    this.#isLost = false
    this.#watch()
    this.#events.emit({ kind: 'back', isRestarted: true })
    await old.member.close(new Error('the host was found by the code again'))
  }
}
