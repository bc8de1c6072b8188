import type { Clock } from '#core/async/clock'
import { withDeadline } from '#core/async/deadline'
import { raceSignal } from '#core/async/onAbort'
import type { ByteStream } from '#core/byteStream'
import { abortReason } from '#core/errors'
import type { GuestConnection } from '#core/room/roomNetwork'
import { HOST_CHANGED, RoomFailure } from '../../failure'
import type { SecureStream, SecureStreams } from '../../ports'
import { encodePort } from '../../scaffolding/wire/commands'
import { createDatagramSeals, sealFlow } from './sealedFlow'

/** How long the host may take for the handshake. */
const HANDSHAKE_MS = 10_000
/** How long a stream is kept ready: the host closes one that names no port after 60 s. */
const READY_MS = 20_000

type SecureGuestOptions = {
  readonly secureStreams: SecureStreams
  readonly clock: Clock
  /** In which the host has proved its key while it was searched for. */
  readonly first?: SecureStream | undefined
  /** Aborts when the connection ends. */
  readonly signal: AbortSignal
}

/**
 * A guest's connection to the host of a private room: every stream is encrypted from end to end, and the host must prove its key
 * in each. With the first stream a second one is made, for the world, which then does not wait
 * for a handshake of its own. Datagrams are sealed under keys of the streams to the room port.
 */
export function createSecureGuest(inner: GuestConnection, options: SecureGuestOptions): GuestConnection {
  const seals = createDatagramSeals('guest')
  const host = new SecureHost(inner, options)
  inner.onEvent(({ kind }) => {
    if (kind === 'lost' || kind === 'back') host.drop()
  })

  return {
    ...inner,
    datagrams: (port) => sealFlow(inner.datagrams(port), port, seals),
    get host() {
      return inner.host
    },
    async dial(port, dialSignal, patienceMs) {
      const signal = dialSignal ? AbortSignal.any([options.signal, dialSignal]) : options.signal
      const isToRoom = port === inner.host.roomPort
      const secure = await (isToRoom
        ? host.openToRoom(signal, patienceMs)
        : host.openToWorld(signal, patienceMs))
      if (isToRoom) seals.add(secure)
      const { stream } = secure
      await stream.write(encodePort(port)).catch((cause: unknown) => {
        stream.destroy()
        throw unreachable(cause)
      })
      return stream
    },
  }
}

/** A stream that has not named its port. */
type Ready = {
  readonly hostId: string
  /** Never rejects; undefined when it cannot be used. */
  readonly opening: Promise<SecureStream | undefined>
  readonly discard: () => void
  readonly stopTimer: () => void
}

/** The encrypted streams to the host: those that are open, and those that were made before they are asked for. */
class SecureHost {
  readonly #inner: GuestConnection
  readonly #options: SecureGuestOptions
  /** The stream in which the host was found. */
  #first: SecureStream | undefined
  /** The stream that is kept for the world. */
  #ready: Ready | undefined
  #openStreams = 0

  constructor(inner: GuestConnection, options: SecureGuestOptions) {
    const { first } = options
    this.#inner = inner
    this.#options = options
    this.#first = first
    void first?.stream.closed.then(() => {
      this.#first = undefined
    })
  }

  /** @throws RoomFailure, or the signal's reason */
  openToRoom(signal: AbortSignal, patienceMs: number | undefined): Promise<SecureStream> {
    return this.#open(signal, patienceMs, this.#openStreams === 0)
  }

  /** @throws RoomFailure, or the signal's reason */
  async openToWorld(signal: AbortSignal, patienceMs: number | undefined): Promise<SecureStream> {
    const kept = this.#takeReady()
    return (kept && (await raceSignal(kept, signal))) ?? (await this.#open(signal, patienceMs, false))
  }

  /** Closes what was made before it is asked for: the host was lost, or another run of it is there. */
  drop(): void {
    this.#ready?.discard()
    this.#first?.stream.destroy()
  }

  async #open(signal: AbortSignal, patienceMs: number | undefined, isFirst: boolean): Promise<SecureStream> {
    const opened = this.#first
    this.#first = undefined
    const raw = opened ?? (await this.#inner.dial(this.#inner.host.roomPort, signal, patienceMs))
    if (isFirst && !this.#ready) this.#ready = this.#makeReady()
    return 'stream' in raw ? this.#admit(raw) : this.#encrypt(raw, signal)
  }

  async #encrypt(raw: ByteStream, signal: AbortSignal): Promise<SecureStream> {
    const late = () => new Error(`no handshake in ${HANDSHAKE_MS} ms`)
    const handshake = await withDeadline(this.#options.clock, HANDSHAKE_MS, signal, late, (limit) =>
      this.#options.secureStreams.connect(raw, limit),
    )
    if (signal.aborted) throw abortReason(signal)
    if (handshake.kind === 'secure') return this.#admit(handshake.secure)
    throw handshake.kind === 'closed'
      ? unreachable(handshake.cause)
      : this.#otherHost(undefined, handshake.cause)
  }

  /** @throws RoomFailure when it is not the host that has answered */
  #admit(secure: SecureStream): SecureStream {
    const { stream, peerKey } = secure
    if (!peerKey || !this.#inner.checkHost(peerKey)) {
      stream.destroy()
      throw this.#otherHost(peerKey, new Error('the key is not that of the host'))
    }
    this.#openStreams += 1
    void stream.closed.then(() => {
      this.#openStreams -= 1
    })
    return secure
  }

  #otherHost(key: Uint8Array | undefined, cause: unknown): RoomFailure {
    if (this.#inner.hostKey() === undefined) return notEncrypted(cause)
    this.#inner.checkHost(key)
    return new RoomFailure('host-changed', HOST_CHANGED, { cause })
  }

  #makeReady(): Ready {
    const opening = this.#inner
      .dial(this.#inner.host.roomPort, this.#options.signal)
      .then((raw) => this.#encrypt(raw, this.#options.signal))
      .catch(() => undefined)
    const discard = () => {
      if (this.#ready !== made) return
      this.#ready = undefined
      made.stopTimer()
      void opening.then((secure) => secure?.stream.destroy())
    }
    const made: Ready = {
      hostId: this.#inner.host.member.id,
      opening,
      discard,
      stopTimer: this.#options.clock.after(READY_MS, discard),
    }
    void opening.then((secure) => secure?.stream.closed).then(discard)
    return made
  }

  #takeReady(): Ready['opening'] | undefined {
    const taken = this.#ready
    if (taken?.hostId !== this.#inner.host.member.id) return undefined
    this.#ready = undefined
    taken.stopTimer()
    return taken.opening
  }
}

function unreachable(cause: unknown): RoomFailure {
  return new RoomFailure('host-unreachable', 'The host does not take the encrypted connection.', { cause })
}

function notEncrypted(cause: unknown): RoomFailure {
  return new RoomFailure('not-encrypted', 'The host does not encrypt as a private room does.', { cause })
}
