import { createServer, type IncomingMessage } from 'node:http'
import { openPort } from '#support/process/openPort'
import type { S3 } from '#support/store/s3'

/**
 * As much of an S3 store as a sweep needs, in memory: it lists, deletes, and refuses to create an object twice. A real store
 * would take an hour to be filled with what this one holds at once.
 * @param keys of objects that were written a minute ago
 */
export async function startListedStore(
  bucket: string,
  keys: readonly string[],
): Promise<Pick<S3, 'endpoint' | 'region' | 'bucket' | 'credentials' | 'stop'>> {
  const names = [...keys].sort()
  const written = new Date(Date.now() - 60_000).toISOString()
  const gone = new Set<string>()
  const created = new Map<string, Date>()

  /** @returns a page of a thousand, whose token is the place of the next one */
  function list(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('start-after') ?? ''
    const from = after > prefix ? after : prefix
    let at = Number(query.get('continuation-token') ?? firstFrom(names, from))
    const found: string[] = []
    for (; found.length < 1000 && names[at]?.startsWith(prefix); at++) {
      const name = names[at] ?? ''
      if (!gone.has(name) && name !== after) found.push(name)
    }
    const next = names[at]?.startsWith(prefix)
    const contents = found.map(
      (name) =>
        `<Contents><Key>${name}</Key><LastModified>${written}</LastModified><Size>1</Size></Contents>`,
    )
    const token = next ? `<NextContinuationToken>${at}</NextContinuationToken>` : ''
    return `<ListBucketResult><IsTruncated>${next === true}</IsTruncated>${token}${contents.join('')}</ListBucketResult>`
  }

  /** Of anything but a listing: what was done, as a status. */
  function change(method: string | undefined, name: string, body: string): number {
    if (method === 'PUT' && created.has(name)) return 412
    if (method === 'PUT') created.set(name, new Date())
    for (const [, key = ''] of body.matchAll(/<Key>(.*?)<\/Key>/g)) gone.add(key)
    return method === 'HEAD' && !created.has(name) ? 404 : 200
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    const name = decodeURIComponent(pathname.slice(bucket.length + 2))
    const body = await textOf(request)
    if (request.method === 'GET') return void response.end(list(searchParams))
    const status = change(request.method, name, body)
    const modified = created.get(name)?.toUTCString()
    response.writeHead(status, { ...(modified && { 'Last-Modified': modified }), 'Content-Length': 0 }).end()
  })
  const endpoint = `http://127.0.0.1:${await openPort(server)}`
  return {
    endpoint,
    bucket,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'of-a-test', secretAccessKey: 'of-a-test' },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The place of the first of sorted names that is not before another. */
function firstFrom(names: readonly string[], name: string): number {
  let [low, high] = [0, names.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((names[middle] ?? '') < name) low = middle + 1
    else high = middle
  }
  return low
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString()
}
