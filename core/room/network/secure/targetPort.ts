import type { ByteStream } from '#core/byteStream'
import { concatBytes } from '#core/bytes'

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
