import { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { ByteStream } from '@lantern-room/base/bytes'
import { concatBytes } from '@lantern-room/base/bytes'

/** Bytes that are read ahead, and that are taken before a writer has to wait. */
const BUFFER = 256 * 1024
/** A smaller piece than a record of TLS: what arrives in the same turn of the event loop is then read as one. */
const SMALL = 16 * 1024

/** A stream of bytes as Node's own kind of stream, with its back-pressure both ways. Closing either closes the other. */
export function streamDuplex(stream: ByteStream): Duplex {
  let pause: Promise<void> | undefined
  const duplex = new Duplex({
    highWaterMark: BUFFER,
    // As the stream itself, and so the socket above: an end of one direction is an end of both.
    allowHalfOpen: false,
    // Not called again before its bytes are there.
    read() {
      void readOnce()
        .then((bytes) => duplex.push(bytes ?? null))
        .catch((error) => duplex.destroy(error))
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

  async function readOnce(): Promise<Uint8Array | undefined> {
    await pause
    const bytes = await stream.read()
    pause = bytes && bytes.length < SMALL ? setImmediate() : undefined
    return bytes
  }

  /** Records of TLS come several at a time; each write costs the network more than a copy of the bytes. */
  async function writeOnce(chunks: readonly Uint8Array[]): Promise<void> {
    const [only, second] = chunks
    await stream.write(only && !second ? only : concatBytes(chunks))
  }
}
