import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { onAbort, withDeadline } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { concatBytes } from '@lantern-room/base/bytes'
import type { NetworkOptions } from '@lantern-room/easytier'
import type { HostOptions } from '#room/roomNetwork'
import type { SecureStreams } from '../../ports'
import { admitFlow, createDatagramSeals } from './sealedFlow'

/** How long a guest may take for the handshake, */
const HANDSHAKE_MS = 10_000
/** and after it until it names the port. Guests of earlier versions keep one stream ready for 20 s. */
const TARGET_MS = 60_000
/** Streams of one member that have not named their port. */
const MAX_WAITING = 64

/**
 * What a private room exposes: every stream is encrypted from end to end before anything of it is believed. Streams lead to
 * the room port of the network, and name the port that they mean inside. Datagrams are sealed under keys of these streams.
 * @see docs/decisions.md, D105
 */
export function createSecureExposure<
  Exposure extends Pick<NetworkOptions, 'acceptsTcp' | 'onStream' | 'onFlow'>,
>(
  exposure: Exposure,
  options: {
    readonly room: Pick<HostOptions, 'roomPort' | 'credentials' | 'signal'>
    readonly secureStreams: SecureStreams
    readonly clock: Clock
    readonly log: Log
  },
): Exposure {
  const { room, clock, log } = options
  const accept = options.secureStreams.createAcceptor(room.credentials)
  const waiting = new Map<number, number>()
  const seals = createDatagramSeals('host')

  return {
    ...exposure,
    acceptsTcp: (port, peerId) => port === room.roomPort && (waiting.get(peerId) ?? 0) < MAX_WAITING,
    onStream(stream, { peerId }) {
      count(peerId, 1)
      void admit(stream, peerId).finally(() => count(peerId, -1))
    },
    onFlow: (flow, from) => admitFlow(flow, from.port, seals, (opened) => exposure.onFlow(opened, from)),
  }

  /** Never rejects. */
  async function admit(raw: ByteStream, peerId: number): Promise<void> {
    try {
      const incoming = await admitted(raw, peerId)
      if (incoming) exposure.onStream(incoming.stream, { port: incoming.port, peerId })
    } catch (error) {
      raw.destroy()
      log.debug('a stream of a member broke', { cause: String(error) })
    }
  }

  async function admitted(raw: ByteStream, peerId: number) {
    const handshake = await inTime(HANDSHAKE_MS, (signal) => accept(raw, signal))
    if (handshake.kind !== 'secure') {
      log.debug('a member did not encrypt its stream', { cause: String(handshake.cause) })
      return undefined
    }
    const { stream } = handshake.secure
    const target = await inTime(TARGET_MS, async (signal) => {
      const unsubscribe = onAbort(signal, stream.destroy)
      return readTargetPort(stream).finally(unsubscribe)
    })
    if (target?.port === room.roomPort) seals.add(handshake.secure)
    if (target && exposure.acceptsTcp(target.port, peerId)) return target
    void stream.end()
    return undefined
  }

  function inTime<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline(clock, ms, room.signal, () => new Error(`not done in ${ms} ms`), work)
  }

  function count(peerId: number, change: number): void {
    const next = (waiting.get(peerId) ?? 0) + change
    if (next > 0) waiting.set(peerId, next)
    else waiting.delete(peerId)
  }
}

/**
 * All streams of a private room lead to the host's room port. The first two bytes that a guest sends in one, once it is
 * encrypted, name the port of the host that is meant, as `encodePort` writes it. This reads them from a new stream.
 * @returns the port, and the stream without those bytes; undefined when it ends before them
 */
export async function readTargetPort(
  stream: ByteStream,
): Promise<{ readonly port: number; readonly stream: ByteStream } | undefined> {
  let received: Uint8Array = new Uint8Array(0)
  while (received.length < 2) {
    const bytes = await stream.read()
    if (!bytes) return undefined
    received = concatBytes([received, bytes])
  }
  const [high = 0, low = 0] = received
  return { port: high * 256 + low, stream: withFirst(received.subarray(2), stream) }
}

/** The stream, but what it delivers begins with these bytes, which were read from it already. */
export function withFirst(first: Uint8Array, stream: ByteStream): ByteStream {
  if (first.length === 0) return stream
  let unread: Uint8Array | undefined = first
  return {
    ...stream,
    async read() {
      const bytes = unread
      unread = undefined
      return bytes ?? stream.read()
    },
  }
}
