import { createHash } from 'node:crypto'
import { onAbort } from '@lantern-room/base/async'
import type { ByteStream } from '@lantern-room/base/bytes'
import { concatBytes, equalBytes } from '@lantern-room/base/bytes'
import type { SecureHandshake, SecureStreams } from '@lantern-room/room/ports'
import { keyOfCredentials } from './testCredentials'

const HELLO = Uint8Array.of(1, 2, 3, 4)
const ANSWER = Uint8Array.of(5, 6, 7, 8)
const ID_SIZE = 8
const KEY_SIZE = 32

/**
 * Stands for encryption in simulated time: bytes pass as they are, after one round trip, as in TLS 1.3. In it the guest draws a
 * number of the stream, from which both sides export keys, and the host shows its key, unproved.
 */
export function createPlainStreams(newId: () => Uint8Array): SecureStreams {
  return {
    async connect(stream, signal) {
      const unsubscribe = onAbort(signal, stream.destroy)
      const id = newId().slice(0, ID_SIZE)
      try {
        await stream.write(concatBytes([HELLO, id]))
        const [key, rest] = await readGreeting(stream, ANSWER, KEY_SIZE)
        return secure(withFirst(rest, stream), id, key)
      } catch (cause) {
        stream.destroy()
        return { kind: signal.aborted ? 'closed' : 'not-tls', cause }
      } finally {
        unsubscribe()
      }
    },
    createAcceptor(credentials) {
      const greeting = concatBytes([ANSWER, keyOfCredentials(credentials)])
      return async (stream) => {
        try {
          const [id, rest] = await readGreeting(stream, HELLO, ID_SIZE)
          await stream.write(greeting)
          return secure(withFirst(rest, stream), id, undefined)
        } catch (cause) {
          stream.destroy()
          return { kind: 'not-tls', cause }
        }
      }
    },
  }
}

let lastId = 0

export const plainStreams = createPlainStreams(() => {
  lastId += 1
  return new Uint8Array(ID_SIZE).fill(lastId)
})

function secure(stream: ByteStream, id: Uint8Array, peerKey: Uint8Array | undefined): SecureHandshake {
  const exportKey = (label: string, size: number) => {
    const blocks = Array.from({ length: Math.ceil(size / 32) }, (_, at) =>
      createHash('sha256').update(`${label} ${at}`).update(id).digest(),
    )
    return concatBytes(blocks).slice(0, size)
  }
  return { kind: 'secure', secure: { stream, peerKey, exportKey } }
}

/** The stream, whose first bytes were read already. */
function withFirst(first: Uint8Array, stream: ByteStream): ByteStream {
  const unread = first.length > 0 ? [first] : []
  return { ...stream, read: async () => unread.pop() ?? stream.read() }
}

/** @returns so many bytes behind the mark, and what came with them. @throws where it is another mark, or the stream ends */
async function readGreeting(
  stream: ByteStream,
  mark: Uint8Array,
  size: number,
): Promise<readonly [Uint8Array, Uint8Array]> {
  const whole = mark.length + size
  let received: Uint8Array = new Uint8Array(0)
  while (received.length < whole) {
    const bytes = await stream.read()
    if (!bytes) throw new Error('closed')
    received = concatBytes([received, bytes])
  }
  if (!equalBytes(received.subarray(0, mark.length), mark)) throw new Error('another greeting')
  return [received.slice(mark.length, whole), received.slice(whole)]
}
