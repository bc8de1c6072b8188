import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { ByteStream } from '#core/byteStream'
import { concatBytes } from '#core/bytes'

/** Bytes that are read ahead, and that are taken before a writer has to wait. */
const BUFFER = 256 * 1024
/** A smaller piece than a record of TLS: what arrives in the same turn of the event loop is then read as one. */
const SMALL = 16 * 1024

/** A stream of bytes as Node's own kind of stream, with its back-pressure both ways. Closing either closes the other. */
export function streamDuplex(stream: ByteStream): Duplex {
  let isReading = false
  /** Set at each request of the reader, also while one is fulfilled. */
  let wantsMore = false
  const duplex = new Duplex({
    highWaterMark: BUFFER,
    // As the stream itself, and so the socket above: an end of one direction is an end of both.
    allowHalfOpen: false,
    read() {
      wantsMore = true
      if (!isReading) void pump()
    },
    writev(chunks, done) {
      // A stream that cannot be written may still have bytes to read; its end, or its break, is what closes the duplex.
      const isOver = () => done()
      void writeOnce(chunks.map(({ chunk }) => chunk as Uint8Array)).then(isOver, isOver)
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
      while (wantsMore) await passOn()
    } catch (error) {
      duplex.destroy(error instanceof Error ? error : new Error(String(error)))
    } finally {
      isReading = false
    }
  }

  async function passOn(): Promise<void> {
    const bytes = await stream.read()
    wantsMore = false
    const hasRoom = duplex.push(bytes ?? null)
    if (!bytes) return
    if (hasRoom) wantsMore = true
    if (bytes.length < SMALL) await setImmediate()
  }

  /** Records of TLS come several at a time; each write costs the network more than a copy of the bytes. */
  async function writeOnce(chunks: readonly Uint8Array[]): Promise<void> {
    const [only, second] = chunks
    await stream.write(only && !second ? only : concatBytes(chunks))
  }
}
