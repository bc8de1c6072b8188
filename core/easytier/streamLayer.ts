import type { Clock } from '@lantern-room/base/async'
import { onAbort } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import type { OnRefused } from './limitLog'
import { createByteStream } from './streams/byteStream'
import type { StreamEndpoint, StreamRoute } from './streams/streamPacket'
import { Streams } from './streams/streams'
import type { TransportKind } from './transport/transports'

/** The streams of a peer by KCP, driven by a clock. */
export function createStreamLayer(options: {
  readonly ownId: number
  readonly clock: Clock
  readonly random32: () => number
  /** The payload is lent: it holds only during the call. */
  readonly send: (peerId: number, packetType: number, payload: Uint8Array) => TransportKind | undefined
  /** @param peerId the member that opens the stream, as everywhere here */
  readonly accepts: (to: StreamEndpoint, peerId: number) => boolean
  readonly onStream: (stream: ByteStream, to: StreamEndpoint, peerId: number) => void
  readonly onRefused: OnRefused
}) {
  const { ownId, clock, random32, accepts, onStream } = options
  const afterTurn = (act: () => void) => void clock.after(0, act)
  let isClosed = false
  /** When `tick` will be called, in the clock's time; Infinity for never. */
  let due = Number.POSITIVE_INFINITY
  let cancel = () => {}
  const kcp = new Streams({
    ownId,
    random32,
    accepts,
    send: options.send,
    wake: update,
    onRefused: (peerId, denial) => options.onRefused('streams', peerId, denial),
    onStream: (handle, to) => onStream(createByteStream(handle, afterTurn), to, handle.peerId),
  })

  return {
    /** @param payload must not change afterwards */
    receive(type: number, payload: Uint8Array, from: number): void {
      kcp.receive(type, payload, from, clock.now())
      update()
    },
    /** @throws StreamError when refused or not answered in time; the signal's reason when it aborts */
    async dial(peerId: number, route: StreamRoute, signal?: AbortSignal): Promise<ByteStream> {
      signal?.throwIfAborted()
      const opening = kcp.open(peerId, route, clock.now())
      update()
      const unsubscribe = signal && onAbort(signal, opening.cancel)
      try {
        return createByteStream(await opening.opened, afterTurn)
      } catch (error) {
        signal?.throwIfAborted()
        throw error
      } finally {
        unsubscribe?.()
      }
    },
    payloadTo: (peerId: number): number | undefined => kcp.payloadTo(peerId),
    forgetPeer: (peerId: number): void => kcp.forgetPeer(peerId),
    close(): void {
      isClosed = true
      cancel()
      kcp.close(clock.now())
    },
  }

  /** To be called whenever the next deadline may have become earlier. */
  function update(): void {
    // Due at once already: with many streams even asking for the next deadline is expensive.
    if (isClosed || due <= 0) return
    const at = kcp.nextDeadline()
    if (at >= due || at === Number.POSITIVE_INFINITY) return
    cancel()
    due = at
    cancel = clock.after(Math.max(0, at - clock.now()), () => {
      due = Number.POSITIVE_INFINITY
      kcp.tick(clock.now())
      update()
    })
  }
}
