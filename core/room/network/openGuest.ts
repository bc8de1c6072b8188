import type { ByteStream } from '#core/byteStream'
import { HOST_CHANGED, RoomFailure } from '../failure'
import type { GuestConnection } from '../roomNetwork'
import type { HostProof } from './search/hostProof'

/**
 * A guest's connection to the host of an open room: once the host's key is known, each stream to the room port begins with its
 * proof, so that nothing is told to another member, and nothing believed of it. Other streams are as all of an open room.
 */
export function createOpenGuest(
  inner: GuestConnection,
  options: {
    readonly proof: Pick<HostProof, 'prove'>
    /** To the room port, in which the host has answered while it was searched for. */
    readonly first: ByteStream | undefined
    /** Aborts when the connection ends. */
    readonly signal: AbortSignal
  },
): GuestConnection {
  let { first } = options
  void first?.closed.then(() => {
    first = undefined
  })
  inner.onEvent(({ kind }) => {
    if (kind === 'lost' || kind === 'back') first?.destroy()
  })

  return {
    ...inner,
    get host() {
      return inner.host
    },
    async dial(port, dialSignal, patienceMs) {
      if (port !== inner.host.roomPort) return inner.dial(port, dialSignal, patienceMs)
      const opened = first
      first = undefined
      if (opened) return opened
      const stream = await inner.dial(port, dialSignal, patienceMs)
      if (inner.hostKey() === undefined) return stream
      const { signal } = options
      return proved(stream, dialSignal ? AbortSignal.any([signal, dialSignal]) : signal)
    },
  }

  /** @throws RoomFailure `host-changed` when another host answers, `connection-lost` when none does */
  async function proved(stream: ByteStream, signal: AbortSignal): Promise<ByteStream> {
    const answer = await options.proof.prove(stream, signal)
    const key = answer.kind === 'host' ? answer.key : undefined
    if (inner.checkHost(key)) return stream
    stream.destroy()
    throw new RoomFailure('host-changed', HOST_CHANGED)
  }
}
