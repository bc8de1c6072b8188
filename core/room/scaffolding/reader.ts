import type { ByteStream } from '#core/byteStream'
import type { Decoded } from './frames'

export type FrameReader<T> = {
  /**
   * The next frame, however its bytes were split or joined on the way. One call at a time.
   * @returns undefined when the other side closed in order between two frames
   * @throws Error when the stream broke or ended within a frame, and what `decode` throws
   */
  read(): Promise<T | undefined>
}

/** Buffers the bytes of a stream until they form a frame. */
export function createFrameReader<T>(
  stream: Pick<ByteStream, 'read'>,
  decode: (bytes: Uint8Array) => Decoded<T> | undefined,
): FrameReader<T> {
  const held = createHeldBytes()
  return {
    async read() {
      for (;;) {
        const decoded = held.size() === 0 ? undefined : decode(held.view())
        if (decoded) {
          held.drop(decoded.length)
          return decoded.value
        }
        const piece = await stream.read()
        if (!piece) {
          if (held.size() > 0) throw new Error('The stream ended within a frame.')
          return undefined
        }
        held.add(piece)
      }
    },
  }
}

/** Grows by doubling, so that a frame that arrives byte by byte is not copied each time. */
function createHeldBytes() {
  let bytes: Uint8Array = new Uint8Array(0)
  let start = 0
  let end = 0

  return {
    size: () => end - start,
    view: () => bytes.subarray(start, end),
    drop(length: number) {
      start += length
    },
    add(piece: Uint8Array) {
      const size = end - start
      if (size === 0) {
        bytes = piece
        start = 0
        end = piece.length
        return
      }
      if (end + piece.length > bytes.length) {
        const grown = new Uint8Array(Math.max(2 * size, size + piece.length))
        grown.set(bytes.subarray(start, end))
        bytes = grown
        start = 0
        end = size
      }
      bytes.set(piece, end)
      end += piece.length
    },
  }
}
