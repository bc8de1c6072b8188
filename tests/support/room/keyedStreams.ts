import type { ByteStream } from '@lantern-room/base'
import { concatBytes, equalBytes } from '@lantern-room/base'
import { onAbort } from '@lantern-room/base/async'
import type { SecureHandshake, SecureStreams } from '@lantern-room/room/ports'
import { withFirst } from '#internal/room/network/secure/secureExposure'
import { keyOfCredentials } from './testCredentials'

const HELLO = Uint8Array.of(1, 2, 3, 4)
const ANSWER = Uint8Array.of(5, 6, 7, 8)

/** Stands for encryption in simulated time: bytes pass as they are, after a greeting in which the host shows its key, unproved. */
export const keyedStreams: SecureStreams = {
  async connect(stream, signal) {
    const unsubscribe = onAbort(signal, stream.destroy)
    try {
      await stream.write(HELLO)
      const [answer, rest] = await readFirst(stream, ANSWER.length + 32)
      if (!equalBytes(answer.subarray(0, ANSWER.length), ANSWER)) throw new Error('another answer')
      return secure(withFirst(rest, stream), answer.slice(ANSWER.length))
    } catch (cause) {
      stream.destroy()
      return { kind: signal.aborted ? 'closed' : 'not-tls', cause }
    } finally {
      unsubscribe()
    }
  },
  createAcceptor: (credentials) => async (stream) => {
    try {
      const [hello, rest] = await readFirst(stream, HELLO.length)
      if (!equalBytes(hello, HELLO)) throw new Error('another greeting')
      await stream.write(concatBytes([ANSWER, keyOfCredentials(credentials)]))
      return secure(withFirst(rest, stream), undefined)
    } catch (cause) {
      stream.destroy()
      return { kind: 'not-tls', cause }
    }
  },
}

function secure(stream: ByteStream, peerKey: Uint8Array | undefined): SecureHandshake {
  return { kind: 'secure', secure: { stream, peerKey, exportKey: (_, size) => new Uint8Array(size) } }
}

/** @returns so many bytes, and what came with them */
async function readFirst(stream: ByteStream, size: number): Promise<readonly [Uint8Array, Uint8Array]> {
  let received: Uint8Array = new Uint8Array(0)
  while (received.length < size) {
    const bytes = await stream.read()
    if (!bytes) throw new Error('closed')
    received = concatBytes([received, bytes])
  }
  return [received.slice(0, size), received.slice(size)]
}
