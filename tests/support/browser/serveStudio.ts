import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  'studio.html': 'text/html; charset=utf-8',
  'studio.webmanifest': 'application/manifest+json; charset=utf-8',
  'studio-worker.js': 'text/javascript; charset=utf-8',
  'studio-photos.js': 'text/javascript; charset=utf-8',
}

/** A web server with the files of the studio, and none of those that `other` says something else of. */
export async function serveStudio(other: Readonly<Record<string, string>> = {}) {
  const server = createServer(async ({ url = '' }, response) => {
    const name = basename(new URL(url, 'http://a').pathname)
    const type = TYPES[name]
    if (type === undefined || other[name] === '') response.writeHead(404).end()
    else {
      const file = await readFile(`dist/local-runner/ui/${name}`)
      response.writeHead(200, { 'Content-Type': type }).end(other[name] ?? file)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, url: `http://127.0.0.1:${port}/tools/studio.html` }
}
