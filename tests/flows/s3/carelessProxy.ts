import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { PutObjectCommand } from '@aws-sdk/client-s3'
import { openPort } from '#support/process/openPort'
import type { S3 } from '#support/store/s3'

export type CarelessProxy = {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  stop(): Promise<void>
}

/** An S3 that ignores `If-None-Match` when it is given an object, and does everything else as the real one behind it. */
export async function startCarelessProxy(s3: S3): Promise<CarelessProxy> {
  const server = createServer((incoming, outgoing) => {
    const isConditional = incoming.method === 'PUT' && incoming.headers['if-none-match'] !== undefined
    const passed = isConditional ? replace(s3, incoming, outgoing) : pass(s3, incoming, outgoing)
    passed.catch(() => outgoing.destroy())
  })
  return {
    url: `http://127.0.0.1:${await openPort(server)}`,
    async stop() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

/** The condition is among what is signed, so the request is made anew. */
async function replace(s3: S3, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { pathname } = new URL(incoming.url ?? '', s3.endpoint)
  const { 'content-type': ContentType, 'x-amz-meta-writer': writer } = incoming.headers
  const stored = await s3.client.send(
    new PutObjectCommand({
      Bucket: s3.bucket,
      Key: decodeURIComponent(pathname.slice(`/${s3.bucket}/`.length)),
      Body: await buffer(incoming),
      ContentType,
      ...(writer !== undefined && { Metadata: { writer: String(writer) } }),
    }),
  )
  outgoing.writeHead(200, { ETag: stored.ETag ?? '' }).end()
}

async function pass(s3: S3, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { method, url, headers } = incoming
  const forwarded = request(new URL(s3.endpoint), { method, path: url, headers })
  forwarded.on('error', () => outgoing.destroy())
  incoming.pipe(forwarded)
  const [answer] = (await once(forwarded, 'response')) as [IncomingMessage]
  outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
  answer.pipe(outgoing)
}
