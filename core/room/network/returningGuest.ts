import type { Log } from '@lantern-room/base'
import { type Clock, createDeferred, createEmitter, sleep } from '@lantern-room/base/async'
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
  const { search, clock, log } = options
  const events = createEmitter<NetworkEvent>()
  const ended = createDeferred()
  let current = options.first
  let isLost = false
  /** Ends the search for the host by the code, while there is one. */
  let searching: AbortController | undefined
  let ending: Promise<void> = Promise.resolve()
  const closed = ended.promise.finally(() => ending)
  closed.catch(() => undefined)
  watch(current)

  return {
    members: () => current.connection.members(),
    links: () => current.connection.links(),
    status: () => current.connection.status(),
    onEvent: events.subscribe,
    closed,
    hostKey: () => current.connection.hostKey(),
    checkHost: (key) => current.connection.checkHost(key),
    isOneOfSeveral: () => current.connection.isOneOfSeveral(),
    isHostAwaited: () => current.connection.isHostAwaited(),
    isOtherHostThere: () => current.connection.isOtherHostThere(),
    get host() {
      return current.connection.host
    },
    dial: (port, signal, patienceMs) => current.connection.dial(port, signal, patienceMs),
    datagrams: (port) => current.connection.datagrams(port),
    follow: (secret) => current.follow(secret),
  }

  function watch(session: GuestSession): void {
    session.connection.onEvent((event) => {
      if (session === current) hear(event)
    })
    session.connection.closed.then(
      () => session === current && ended.resolve(),
      (error: unknown) => {
        if (session !== current) return
        searching?.abort(error)
        ended.reject(error)
      },
    )
  }

  function hear(event: NetworkEvent): void {
    if (event.kind === 'lost' || event.kind === 'back') isLost = event.kind === 'lost'
    if (!isLost) searching?.abort(new Error('the host is back'))
    // It may leave the network of the code while the host is lost.
    else if (current.hasMoved()) startSearch()
    events.emit(event)
  }

  function startSearch(): void {
    if (searching) return
    searching = new AbortController()
    ending = comeBack(AbortSignal.any([options.signal, searching.signal]))
      .catch(() => undefined)
      .finally(() => {
        searching = undefined
      })
  }

  /** Ends, with an error, when the host is back. */
  async function comeBack(signal: AbortSignal): Promise<void> {
    for (;;) {
      const found = await search(signal).catch((error: unknown) => {
        signal.throwIfAborted()
        log.debug('the host is not found by the code', { cause: String(error) })
      })
      if (found) return await exchange(found, signal)
      await sleep(clock, AGAIN_MS, signal)
    }
  }

  async function exchange(found: GuestSession, signal: AbortSignal): Promise<void> {
    const old = current
    const isSameHost = found.connection.host.member.id === old.connection.host.member.id
    try {
      if (isSameHost) await sleep(clock, STAY_MS, signal)
    } catch (error) {
      await found.connection.closed
      throw error
    }
    log.info('the host was found by the code again')
    current = found
    isLost = false
    watch(found)
    events.emit({ kind: 'back', isRestarted: true })
    await old.close(new Error('the host was found by the code again'))
  }
}
