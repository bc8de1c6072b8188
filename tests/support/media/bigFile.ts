import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { ProcessHost } from '../hosts/hosts'

// Films of gigabytes that exist nowhere: a short one, and behind it a box of zeros that players pass over.

export const GIB = 2 ** 30
const CHUNK = new Uint8Array(1024 * 1024)

/** Header of a box with a 64-bit size that players pass over. */
export function freeBox(contentLength: number): Buffer {
  const header = Buffer.alloc(16)
  header.writeUInt32BE(1)
  header.write('free', 4, 'latin1')
  header.writeBigUInt64BE(BigInt(contentLength + header.length), 8)
  return header
}

/** Sends zeros at the pace of the server. */
export async function sendZeros(upload: ClientRequest, length: number): Promise<void> {
  for (let sent = 0; sent < length && !upload.destroyed; sent += CHUNK.length)
    if (!upload.write(CHUNK)) await once(upload, 'drain')
}

export async function answerTo(upload: ClientRequest): Promise<{ status: number | undefined; body: string }> {
  const [response] = (await once(upload, 'response')) as [IncomingMessage]
  // After a refusal the server ends the connection, whatever is still being sent.
  upload.on('error', () => undefined)
  let body = ''
  for await (const text of response.setEncoding('utf8')) body += text
  return { status: response.statusCode, body }
}

/** The most memory that the server has had so far, in bytes. */
export async function peakMemory({ server }: Pick<ProcessHost, 'server'>): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

export function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}
