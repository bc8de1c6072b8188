import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDeferred } from '@lantern-room/base/async'

/** What a request got, once it has ended. `purpose` is the browser's: `image` of an `<img>`, `empty` of a script. */
export type PictureRequest = {
  readonly path: string
  readonly purpose: string
  readonly range: string | undefined
  bytes: number
  isCut: boolean
}

type Served = { readonly type: string; readonly bytes: Uint8Array | string }

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  mjs: 'text/javascript',
  js: 'text/javascript',
  jpg: 'image/jpeg',
  heic: 'image/heic',
  mov: 'video/quicktime',
}

/**
 * A web server of pictures and pages, whose manner is the first folder of an address: `/ranges/photo.jpg` is read by ranges,
 * `/whole/…` ignores them, `/open/…` other sites may read, `/drop/…` breaks off in the middle, `/refused/…` is forbidden, and `/gated/…`
 * stops in the middle of what is longer than 100 kB until `release` is called. Nothing is kept by a browser.
 */
export async function servePictures(files: ReadonlyMap<string, Uint8Array | string>) {
  const requests: PictureRequest[] = []
  let gate = createDeferred<void>()
  const server = createServer(async (incoming, response) => {
    const [, manner = '', ...rest] = new URL(incoming.url ?? '', 'http://a').pathname.split('/')
    const name = rest.join('/')
    const bytes = files.get(name)
    const type = TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain'
    const request = recorded(incoming, response, requests)
    if (manner === 'refused') response.writeHead(403).end()
    else if (bytes === undefined) response.writeHead(404).end()
    else await answer(manner, { type, bytes }, request, response, () => gate.promise)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** What scripts have fetched since the last call. */
    takeFetched: () => requests.splice(0).filter(({ purpose }) => purpose === 'empty'),
    release() {
      gate.resolve()
      gate = createDeferred()
    },
    close() {
      gate.resolve()
      server.closeAllConnections()
      server.close()
    },
  }
}

function recorded(incoming: IncomingMessage, response: ServerResponse, requests: PictureRequest[]) {
  const { headers, url: path = '', method } = incoming
  const purpose = String(headers['sec-fetch-dest'] ?? '')
  const request: PictureRequest = { path, purpose, range: headers.range, bytes: 0, isCut: false }
  if (method === 'GET') requests.push(request)
  response.on('close', () => {
    request.isCut = !response.writableFinished
  })
  return request
}

async function answer(
  manner: string,
  { type, bytes: content }: Served,
  request: PictureRequest,
  response: ServerResponse,
  gate: () => Promise<void>,
): Promise<void> {
  const bytes = Buffer.from(content)
  const headers: Record<string, string> = { 'Content-Type': type, 'Cache-Control': 'no-store' }
  if (manner === 'open') headers['Access-Control-Allow-Origin'] = '*'
  const part = manner === 'whole' ? undefined : partOf(request.range, bytes.length)
  const { start, end } = part ?? { start: 0, end: bytes.length }
  if (part) headers['Content-Range'] = `bytes ${start}-${end - 1}/${bytes.length}`
  headers['Content-Length'] = String(end - start)
  response.writeHead(part ? 206 : 200, headers)
  const isHalved = request.purpose !== 'image' && (manner === 'drop' || end - start > 100_000)
  const half = start + Math.floor((end - start) / 2)
  const send = (from: number, to: number) => {
    if (response.destroyed) return
    response.write(bytes.subarray(from, to))
    request.bytes += to - from
  }
  send(start, half)
  if (isHalved && manner === 'drop') return void response.destroy()
  if (isHalved && manner === 'gated') await gate()
  send(half, end)
  response.end()
}

function partOf(range: string | undefined, size: number) {
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  if (from === undefined) return undefined
  return { start: Number(from), end: to ? Math.min(size, Number(to) + 1) : size }
}
