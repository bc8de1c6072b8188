import type { ByteStream, Clock } from '../../ports'
import { createByteStream } from '../streams/byteStream'
import type { Endpoint } from '../streams/packet'
import { createStreams, type StreamsOptions } from '../streams/streams'

/** The streams of a peer, driven by a clock. */
export type StreamLayer = {
  receive(type: number, payload: Uint8Array, from: number): void
  /** @throws StreamError when refused or not answered in time; the signal's reason when it aborts */
  dial(
    peerId: number,
    route: { readonly source: Endpoint; readonly destination: Endpoint },
    signal?: AbortSignal,
  ): Promise<ByteStream>
  forgetPeer(peerId: number): void
  close(): void
}

export function createStreamLayer(
  options: Omit<StreamsOptions, 'wake' | 'onStream'> & {
    readonly clock: Clock
    readonly onStream: (stream: ByteStream, to: Endpoint) => void
  },
): StreamLayer {
  const { clock } = options
  let isClosed = false
  let due = Number.POSITIVE_INFINITY
  let cancel = () => {}
  const streams = createStreams({
    ...options,
    wake: () => schedule(clock.now()),
    onStream: (handle, destination) => options.onStream(createByteStream(handle), destination),
  })

  return {
    receive(type, payload, from) {
      streams.receive(type, payload, from, clock.now())
      schedule(streams.nextDeadline())
    },
    async dial(peerId, route, signal) {
      signal?.throwIfAborted()
      const opening = streams.open(peerId, route, clock.now())
      schedule(streams.nextDeadline())
      signal?.addEventListener('abort', opening.cancel, { once: true })
      try {
        return createByteStream(await opening.opened)
      } catch (error) {
        signal?.throwIfAborted()
        throw error
      } finally {
        signal?.removeEventListener('abort', opening.cancel)
      }
    },
    forgetPeer(peerId) {
      streams.forgetPeer(peerId)
    },
    close() {
      isClosed = true
      cancel()
      streams.close()
    },
  }

  /** One timer, at the earliest of all deadlines. */
  function schedule(at: number): void {
    if (isClosed || at >= due) return
    cancel()
    due = at
    cancel = clock.after(Math.max(0, at - clock.now()), () => {
      due = Number.POSITIVE_INFINITY
      streams.tick(clock.now())
      schedule(streams.nextDeadline())
    })
  }
}
