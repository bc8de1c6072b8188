import { appendFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { ByteStream } from '@lantern-room/base/bytes'
import {
  type RequestFrame,
  type ResponseFrame,
  readRequests,
  readResponses,
} from '#support/room/protocolFrames'

/** A connection of the room protocol, as its bytes went by. */
export type Dialogue = {
  readonly requests: readonly RequestFrame[]
  readonly responses: readonly ResponseFrame[]
}

/** @returns the stream; what is read from it and written to it is appended to the file, a line for each piece */
export function tapStream(stream: ByteStream, path: string): ByteStream {
  const note = (direction: string, bytes: Uint8Array) =>
    appendFileSync(path, `${direction} ${Buffer.from(bytes).toString('hex')}\n`)
  return {
    closed: stream.closed,
    end: () => stream.end(),
    destroy: () => stream.destroy(),
    async read() {
      const bytes = await stream.read()
      if (bytes) note('read', bytes)
      return bytes
    },
    write(bytes) {
      note('written', bytes)
      return stream.write(bytes)
    },
  }
}

/**
 * Reads what `tapStream` has written of one connection.
 * @param side which end the stream was: a server reads requests, a client writes them
 */
export async function readDialogue(path: string, side: 'server' | 'client'): Promise<Dialogue> {
  const lines = (await readFile(path, 'utf8')).trim().split('\n')
  const bytesOf = (direction: string) =>
    Buffer.concat(
      lines.flatMap((line) => {
        const [is, hex = ''] = line.split(' ')
        return is === direction ? [Buffer.from(hex, 'hex')] : []
      }),
    )
  const [asked, answered] = side === 'server' ? ['read', 'written'] : ['written', 'read']
  return {
    requests: readRequests(bytesOf(asked)),
    responses: readResponses(bytesOf(answered)),
  }
}
