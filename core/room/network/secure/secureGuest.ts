import type { Clock } from '@lantern-room/base/async'
import { withDeadline } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { encodePort } from '@lantern-room/protocol/client'
import type { GuestConnection } from '#room/roomNetwork'
import { HOST_CHANGED, RoomFailure } from '../../failure'
import type { SecureStream, SecureStreams } from '../../ports'
import { createDatagramSeals, sealFlow } from './sealedFlow'

/** How long the host may take for the handshake. */
const HANDSHAKE_MS = 10_000

type SecureGuestOptions = {
  readonly secureStreams: SecureStreams
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** What a guest sends to its host. */
export type HostPath = Pick<GuestConnection, 'dial' | 'datagrams'>

/** A guest whose path is not protected yet. */
export type PlainGuest = HostPath & Pick<GuestConnection, 'host' | 'hostKey' | 'checkHost'>

/**
 * A guest's path to the host of a private room: every stream is encrypted from end to end, and the host must prove its key
 * in each. Datagrams are sealed under keys of the streams to the room port.
 */
export function createSecureGuest(inner: PlainGuest, options: SecureGuestOptions): HostPath {
  const seals = createDatagramSeals('guest')
  return {
    datagrams: (port) => sealFlow(inner.datagrams(port), port, seals),
    async dial(port, dialSignal, patienceMs) {
      const signal = dialSignal ? AbortSignal.any([options.signal, dialSignal]) : options.signal
      const raw = await inner.dial(inner.host.roomPort, signal, patienceMs)
      const secure = await encrypt(raw, inner, options, signal)
      admit(secure, inner)
      if (port === inner.host.roomPort) seals.add(secure)
      const { stream } = secure
      await stream.write(encodePort(port)).catch((cause: unknown) => {
        stream.destroy()
        throw unreachable(cause)
      })
      return stream
    },
  }
}

/** @throws RoomFailure, or the signal's reason */
async function encrypt(
  raw: ByteStream,
  inner: PlainGuest,
  { secureStreams, clock }: SecureGuestOptions,
  signal: AbortSignal,
): Promise<SecureStream> {
  const late = () => new Error(`no handshake in ${HANDSHAKE_MS} ms`)
  const handshake = await withDeadline(clock, HANDSHAKE_MS, signal, late, (limit) =>
    secureStreams.connect(raw, limit),
  )
  signal.throwIfAborted()
  if (handshake.kind === 'secure') return handshake.secure
  if (handshake.kind === 'closed') throw unreachable(handshake.cause)
  throw otherHost(inner, undefined, handshake.cause)
}

/** @throws RoomFailure when it is not the host that has answered */
function admit({ stream, peerKey }: SecureStream, inner: PlainGuest): void {
  if (peerKey && inner.checkHost(peerKey)) return
  stream.destroy()
  throw otherHost(inner, peerKey, new Error('the key is not that of the host'))
}

function otherHost(inner: PlainGuest, key: Uint8Array | undefined, cause: unknown): RoomFailure {
  if (inner.hostKey() === undefined)
    return new RoomFailure('not-encrypted', 'The host does not encrypt as a private room does.', { cause })
  inner.checkHost(key)
  return new RoomFailure('host-changed', HOST_CHANGED, { cause })
}

function unreachable(cause: unknown): RoomFailure {
  return new RoomFailure('host-unreachable', 'The host does not take the encrypted connection.', { cause })
}
