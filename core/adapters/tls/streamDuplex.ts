import { Duplex } from 'node:stream'
import type { ByteStream } from '#core/byteStream'

/** Bytes that are read ahead, and that are taken before a writer has to wait. */
const BUFFER = 256 * 1024

/** A stream of bytes as Node's own kind of stream, with its back-pressure both ways. Closing either closes the other. */
export function streamDuplex(stream: ByteStream): Duplex {
  let isReading = false
  const duplex = new Duplex({
    highWaterMark: BUFFER,
    // As the stream itself, and so the socket above: an end of one direction is an end of both.
    allowHalfOpen: false,
    read() {
      if (!isReading) void pump()
    },
    writev(chunks, done) {
      // A stream that cannot be written may still have bytes to read; its end, or its break, is what closes the duplex.
      const isOver = () => done()
      void writeAll(chunks.map(({ chunk }) => chunk as Uint8Array)).then(isOver, isOver)
    },
    final(done) {
      void stream.end().then(() => done())
    },
    destroy(error, done) {
      stream.destroy()
      done(error)
    },
  })
  return duplex

  /** Reads until the reader of the duplex has enough, or the stream ends. */
  async function pump(): Promise<void> {
    isReading = true
    try {
      for (let wantsMore = true; wantsMore; ) {
        const bytes = await stream.read()
        wantsMore = duplex.push(bytes ?? null) && bytes !== undefined
      }
    } catch (error) {
      duplex.destroy(error instanceof Error ? error : new Error(String(error)))
    } finally {
      isReading = false
    }
  }

  async function writeAll(chunks: readonly Uint8Array[]): Promise<void> {
    for (const chunk of chunks) await stream.write(chunk)
  }
}
