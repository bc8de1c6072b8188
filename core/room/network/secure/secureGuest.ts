import type { Clock } from '#core/async/clock'
import { withDeadline } from '#core/async/deadline'
import { raceSignal } from '#core/async/onAbort'
import type { ByteStream } from '#core/byteStream'
import { abortReason } from '#core/errors'
import type { GuestConnection } from '#core/room/roomNetwork'
import { HOST_CHANGED, RoomFailure } from '../../failure'
import type { SecureStream, SecureStreams } from '../../ports'
import { createDatagramSeals, sealFlow } from './sealedFlow'
import { encodeTargetPort } from './targetPort'

/** How long the host may take for the handshake. */
const HANDSHAKE_MS = 10_000
/** How long a stream is kept ready: the host closes one that names no port after 60 s. */
const READY_MS = 20_000

/** A stream that has not named its port. */
type Ready = {
  readonly hostId: string
  /** Never rejects; undefined when it cannot be used. */
  readonly opening: Promise<SecureStream | undefined>
  readonly discard: () => void
  readonly stopTimer: () => void
}

/**
 * A guest's connection to the host of a private room: every stream is encrypted from end to end, and the host must prove its key
 * in each. With the first stream a second one is made, for the world, which then does not wait
 * for a handshake of its own. Datagrams are sealed under keys of the streams to the room port.
 */
export function createSecureGuest(
  inner: GuestConnection,
  options: {
    readonly secureStreams: SecureStreams
    readonly clock: Clock
    /** In which the host has proved its key while it was searched for. */
    readonly first?: SecureStream | undefined
    /** Aborts when the connection ends. */
    readonly signal: AbortSignal
  },
): GuestConnection {
  const { secureStreams, clock } = options
  let first = options.first
  void first?.stream.closed.then(() => {
    first = undefined
  })
  let ready: Ready | undefined
  let openStreams = 0
  const seals = createDatagramSeals('guest')
  inner.onEvent(({ kind }) => {
    if (kind !== 'lost' && kind !== 'back') return
    ready?.discard()
    first?.stream.destroy()
  })

  return {
    members: inner.members,
    links: inner.links,
    status: inner.status,
    onEvent: inner.onEvent,
    ...(inner.follow && { follow: inner.follow }),
    closed: inner.closed,
    hostKey: inner.hostKey,
    checkHost: inner.checkHost,
    isOneOfSeveral: inner.isOneOfSeveral,
    isOtherHostThere: inner.isOtherHostThere,
    datagrams: (port) => sealFlow(inner.datagrams(port), port, seals),
    get host() {
      return inner.host
    },
    async dial(port, dialSignal, patienceMs) {
      const signal = dialSignal ? AbortSignal.any([options.signal, dialSignal]) : options.signal
      const isToRoom = port === inner.host.roomPort
      const kept = isToRoom ? undefined : takeReady()
      const secure =
        (kept && (await raceSignal(kept, signal))) ??
        (await openStream(signal, patienceMs, isToRoom && openStreams === 0))
      if (isToRoom) seals.add(secure)
      const { stream } = secure
      await stream.write(encodeTargetPort(port)).catch((cause: unknown) => {
        stream.destroy()
        throw unreachable(cause)
      })
      return stream
    },
  }

  async function openStream(
    signal: AbortSignal,
    patienceMs: number | undefined,
    isFirst: boolean,
  ): Promise<SecureStream> {
    const opened = first
    first = undefined
    const raw = opened ?? (await inner.dial(inner.host.roomPort, signal, patienceMs))
    if (isFirst && !ready) ready = makeReady()
    return 'stream' in raw ? admitted(raw) : encrypt(raw, signal)
  }

  /** @throws RoomFailure, or the signal's reason */
  async function encrypt(raw: ByteStream, signal: AbortSignal): Promise<SecureStream> {
    const late = () => new Error(`no handshake in ${HANDSHAKE_MS} ms`)
    const handshake = await withDeadline(clock, HANDSHAKE_MS, signal, late, (limit) =>
      secureStreams.connect(raw, limit),
    )
    if (signal.aborted) throw abortReason(signal)
    if (handshake.kind === 'secure') return admitted(handshake.secure)
    throw handshake.kind === 'closed' ? unreachable(handshake.cause) : otherHost(undefined, handshake.cause)
  }

  /** @throws RoomFailure when it is not the host that has answered */
  function admitted(secure: SecureStream): SecureStream {
    const { stream, peerKey } = secure
    if (!peerKey || !inner.checkHost(peerKey)) {
      stream.destroy()
      throw otherHost(peerKey, new Error('the key is not that of the host'))
    }
    openStreams += 1
    void stream.closed.then(() => {
      openStreams -= 1
    })
    return secure
  }

  function otherHost(key: Uint8Array | undefined, cause: unknown): RoomFailure {
    if (inner.hostKey() === undefined) return notEncrypted(cause)
    inner.checkHost(key)
    return new RoomFailure('host-changed', HOST_CHANGED, { cause })
  }

  function makeReady(): Ready {
    const opening = inner
      .dial(inner.host.roomPort, options.signal)
      .then((raw) => encrypt(raw, options.signal))
      .catch(() => undefined)
    const discard = () => {
      if (ready !== made) return
      ready = undefined
      made.stopTimer()
      void opening.then((secure) => secure?.stream.destroy())
    }
    const made: Ready = {
      hostId: inner.host.member.id,
      opening,
      discard,
      stopTimer: clock.after(READY_MS, discard),
    }
    void opening.then((secure) => secure?.stream.closed).then(discard)
    return made
  }

  function takeReady(): Ready['opening'] | undefined {
    const taken = ready
    if (taken?.hostId !== inner.host.member.id) return undefined
    ready = undefined
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
