import type { Socket } from 'node:dgram'
import type { Server } from 'node:net'

/** A `lookup` for sockets that only get addresses: the system's resolver would cost more than the sending itself. */
export function literalLookup(family: 4 | 6) {
  return (
    address: string,
    _options: unknown,
    done: (error: NodeJS.ErrnoException | null, address: string, family: number) => void,
  ): void => done(null, address, family)
}

/** Asks for buffers of this size, so that bursts fit. A system that refuses keeps its own size. */
export function enlargeBuffers(socket: Socket, bytes: number): void {
  for (const set of ['setRecvBufferSize', 'setSendBufferSize'] as const) {
    try {
      socket[set](bytes)
    } catch {}
  }
}

/** The port of a server that listens on TCP; 0 when it does not. */
export function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const MAX_TEXT_SIZE = 64 * 1024

/** @throws Error when it is longer than 64 KiB */
export async function readText(chunks: AsyncIterable<Uint8Array> | Iterable<never>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > MAX_TEXT_SIZE) throw new Error('the text is longer than 64 KiB')
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
