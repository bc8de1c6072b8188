import type { Clock } from '#core/async/clock'
import { createDeadlineDriver } from '#core/async/deadlineDriver'
import { onAbort } from '#core/async/onAbort'
import type { ByteStream } from '#core/byteStream'
import type { OnRefused } from './limitLog'
import { createByteStream } from './streams/byteStream'
import type { StreamEndpoint, StreamRoute } from './streams/streamPacket'
import { createStreams } from './streams/streams'

/** The streams of a peer by KCP, driven by a clock. */
export type StreamLayer = {
  /** @param payload must not change afterwards */
  receive(type: number, payload: Uint8Array, from: number): void
  /** @throws StreamError when refused or not answered in time; the signal's reason when it aborts */
  dial(peerId: number, route: StreamRoute, signal?: AbortSignal): Promise<ByteStream>
  forgetPeer(peerId: number): void
  close(): void
}

export type StreamLayerOptions = {
  readonly ownId: number
  readonly clock: Clock
  readonly random32: () => number
  /** The payload is lent: it holds only during the call. */
  readonly send: (peerId: number, packetType: number, payload: Uint8Array) => void
  /** @param peerId the member that opens the stream, as everywhere here */
  readonly accepts: (to: StreamEndpoint, peerId: number) => boolean
  readonly onStream: (stream: ByteStream, to: StreamEndpoint, peerId: number) => void
  readonly onRefused: OnRefused
}

export function createStreamLayer(options: StreamLayerOptions): StreamLayer {
  const { ownId, clock, random32, accepts, onStream } = options
  const driver = createDeadlineDriver(clock, () => kcp)
  const kcp = createStreams({
    ownId,
    random32,
    accepts,
    send: options.send,
    wake: driver.update,
    onRefused: (peerId, denial) => options.onRefused('streams', peerId, denial),
    onStream: (handle, to) => onStream(createByteStream(handle), to, handle.peerId),
  })

  return {
    receive(type, payload, from) {
      kcp.receive(type, payload, from, clock.now())
      driver.update()
    },
    async dial(peerId, route, signal) {
      signal?.throwIfAborted()
      const opening = kcp.open(peerId, route, clock.now())
      driver.update()
      const unsubscribe = signal && onAbort(signal, opening.cancel)
      try {
        return createByteStream(await opening.opened)
      } catch (error) {
        signal?.throwIfAborted()
        throw error
      } finally {
        unsubscribe?.()
      }
    },
    forgetPeer: kcp.forgetPeer,
    close() {
      driver.stop()
      kcp.close(clock.now())
    },
  }
}
