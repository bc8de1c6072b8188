import { createHash } from 'node:crypto'
import type { ByteStream } from '@lantern-room/base'
import { concatBytes } from '@lantern-room/base'
import type { SecureHandshake, SecureStreams } from '@lantern-room/room/ports'
import { withFirst } from '#internal/room/network/secure/secureExposure'

const ID_SIZE = 8

/**
 * Stands for encryption where a run has to be the same each time: bytes pass as they are, behind a number of the stream from
 * which both sides export keys, and every host has the same key.
 */
export function createPlainStreams(newId: () => Uint8Array): SecureStreams {
  return {
    async connect(stream) {
      const id = newId().slice(0, ID_SIZE)
      try {
        await stream.write(id)
      } catch (cause) {
        return { kind: 'closed', cause }
      }
      return plain(stream, id, new Uint8Array(32))
    },
    createAcceptor: () => async (stream) => {
      let received: Uint8Array = new Uint8Array(0)
      try {
        while (received.length < ID_SIZE) {
          const bytes = await stream.read()
          if (!bytes) throw new Error('closed')
          received = concatBytes([received, bytes])
        }
      } catch (cause) {
        stream.destroy()
        return { kind: 'closed', cause }
      }
      return plain(withFirst(received.slice(ID_SIZE), stream), received.slice(0, ID_SIZE), undefined)
    },
  }
}

let lastId = 0

export const plainStreams = createPlainStreams(() => {
  lastId += 1
  return new Uint8Array(ID_SIZE).fill(lastId)
})

function plain(stream: ByteStream, id: Uint8Array, peerKey: Uint8Array | undefined): SecureHandshake {
  const exportKey = (label: string, size: number) => {
    const blocks = Array.from({ length: Math.ceil(size / 32) }, (_, at) =>
      createHash('sha256').update(`${label} ${at}`).update(id).digest(),
    )
    return concatBytes(blocks).slice(0, size)
  }
  return { kind: 'secure', secure: { stream, peerKey, exportKey } }
}
