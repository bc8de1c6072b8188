import { createByteBuffer } from '#core/byteBuffer'
import type { ByteStream } from '#core/byteStream'
import type { Decoded } from './frames'

export type FrameReader<T> = {
  /**
   * The next frame; its bytes may arrive split or together with other frames. One call at a time.
   * @returns undefined when the other side closed the stream between two frames
   * @throws Error when the stream broke or ended within a frame; what `decode` throws
   */
  read(): Promise<T | undefined>
}

/** Buffers the bytes of a stream until they form a frame. */
export function createFrameReader<T>(
  stream: Pick<ByteStream, 'read'>,
  decode: (bytes: Uint8Array) => Decoded<T> | undefined,
): FrameReader<T> {
  const buffer = createByteBuffer()

  return {
    async read() {
      for (;;) {
        const frame = takeFrame()
        if (frame) return frame.value
        const bytes = await stream.read()
        if (!bytes) return end()
        buffer.append(bytes)
      }
    },
  }

  function takeFrame(): Decoded<T> | undefined {
    const frame = buffer.size() > 0 ? decode(buffer.view()) : undefined
    if (frame) buffer.drop(frame.length)
    return frame
  }

  function end(): undefined {
    if (buffer.size() > 0) throw new Error('The stream ended within a frame.')
  }
}
