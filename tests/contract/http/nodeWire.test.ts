import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ProcessHost, startNodeHost } from '#support/hosts/hosts'
import { assert, suite } from '#support/runner/suite'
import { entriesBelow } from '../ports/leaks'
import { untilEmpty } from './hostsOf'

// What is only seen on the wire: connections, bodies that are still being sent, and requests that no client library makes.

const test = suite('the Node host on the wire')
const LIMIT = 1_000_000
let host: ProcessHost
/** Gives an upload up after a second without a byte. */
let hasty: ProcessHost

test.before(async () => {
  const limit = { MAX_UPLOAD_BYTES: String(LIMIT) }
  const starting = [
    { ...limit, UPLOAD_IDLE_SECONDS: '6' },
    { ...limit, UPLOAD_IDLE_SECONDS: '1' },
  ]
  ;[host, hasty] = (await Promise.all(starting.map(startNodeHost))) as [ProcessHost, ProcessHost]
})
test.after(async () => {
  await Promise.all([host, hasty].map((one) => one.stop()))
})
test.after.each(async () => {
  for (const { dataDir } of [host, hasty]) await untilEmpty(() => entriesBelow(join(dataDir, 'work')))
})

test('an upload that is too long by its own word is 413 before it is sent', async () => {
  const upload = begin({ 'Content-Length': '2000000000' })
  upload.write(partOf(Buffer.alloc(10)))
  const { status, detail } = await answer(upload)
  assert.is(status, 413)
  assert.match(detail, /1000000 bytes/)
  upload.destroy()
})

test('an upload without a length is 413 as soon as it is too long', async () => {
  const upload = begin()
  upload.write(partOf(Buffer.concat([mp4Head, Buffer.alloc(5000)])))
  const sending = keepSending(upload)
  const { status } = await answer(upload)
  assert.is(status, 413)
  await sending
})

test('a file that is no film is refused while it is still being sent', async () => {
  const upload = begin({ 'Content-Length': '900000' })
  upload.write(partOf(Buffer.from('no film at all '.repeat(400))))
  // No more is sent: the answer does not wait for it. One that did would tell that nothing arrives any more.
  const { status, detail } = await answer(upload)
  assert.is(status, 400)
  assert.match(detail, /not a video/)
  upload.destroy()
})

test('an upload of which nothing arrives any more is given up, and leaves nothing', async () => {
  const upload = begin({ 'Content-Length': '900000' }, { at: hasty })
  upload.write(partOf(Buffer.concat([mp4Head, Buffer.alloc(5000)])))
  const { status, detail } = await answer(upload)
  assert.is(status, 400)
  assert.match(detail, /^No byte of the upload has arrived for 1 s\./)
  upload.destroy()

  const body = JSON.stringify({ size: 10_000, content_type: 'video/mp4' })
  const headers = { 'Content-Type': 'application/json' }
  const { upload_id } = (await (
    await fetch(`${hasty.url}/uploads`, { method: 'POST', body, headers })
  ).json()) as { upload_id: string }
  const put = request(`${hasty.url}/uploads/${upload_id}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': '10000' },
  })
  put.on('error', () => undefined)
  put.write(Buffer.alloc(5000))
  assert.is((await answer(put)).status, 400)
  put.destroy()
})

test('an upload that is slow is not given up', async () => {
  const upload = begin()
  for (const piece of [mp4Head, Buffer.alloc(100), Buffer.alloc(100)]) {
    upload.write(piece === mp4Head ? partOf(mp4Head) : piece)
    // Three of them are longer than the upload may be idle, and one is far from it on the busiest machine.
    await sleep(2200)
  }
  upload.end(END)
  assert.match((await answer(upload)).detail, /cannot be read as a video/)
})

test('idle connections are kept longer than the 60 s of a proxy', async () => {
  const { headers } = await fetch(`${host.url}/health`)
  assert.is(headers.get('Keep-Alive'), 'timeout=65')
})

test('a connection is good for more after a refused upload', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ports = new Set<number | undefined>()
  for (let round = 0; round < 2; round++) {
    const body = Buffer.concat([partOf(Buffer.from('no film at all '.repeat(20_000))), END])
    const upload = begin({ 'Content-Length': String(body.length) }, { agent })
    upload.end(body)
    const { status, port } = await answer(upload)
    assert.is(status, 400)
    ports.add(port)
    // Longer than any delay after which a server might end what it has not read.
    await sleep(700)
    const health = request(`${host.url}/health`, { agent }).end()
    const [{ statusCode, socket }] = (await once(health, 'response')) as [IncomingMessage]
    assert.is(statusCode, 200)
    ports.add(socket.localPort)
    health.destroy()
    agent.destroy()
  }
  assert.is(ports.size, 2, 'one connection in each round')
})

test('what is no proper request is refused as everything else is', async () => {
  const cases: readonly [string, number][] = [
    ['GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['GET /preview/%ff.mp4 HTTP/1.1\r\nHost: x\r\n\r\n', 404],
    ['GET /a\\b HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nHost: x/y?z\r\n\r\n', 400],
    ['BREW /health HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['GET /health HTTP/1.1\r\n\r\n', 400],
  ]
  for (const [text, status] of cases) {
    const said = await raw(text)
    assert.match(said, new RegExp(`^HTTP/1\\.1 ${status} `), text)
  }
  for (const text of ['GET /a\\b HTTP/1.1\r\nHost: x\r\n\r\n', 'GET / HTTP/1.1\r\nHost: x/y?z\r\n\r\n'])
    assert.match(await raw(text), /\r\n\r\n\{"detail":"[^"]+\.","code":"invalid-request"\}$/)
})

test('HEAD has the headers of GET and no body', async () => {
  for (const path of ['/', '/openapi.json', '/nothing']) {
    const [get, head] = [await raw(requestFor('GET', path)), await raw(requestFor('HEAD', path))]
    const typeOf = (text: string) => /\r\ncontent-type: (\S+)/i.exec(text)?.[1]
    assert.ok(typeOf(get))
    assert.is(typeOf(head), typeOf(get), path)
    assert.is(head.split('\r\n', 1)[0], get.split('\r\n', 1)[0])
    assert.ok(head.endsWith('\r\n\r\n'))
  }
})

const mp4Head = Buffer.from([0, 0, 0, 16, ...Buffer.from('ftypisom'), 0, 0, 0, 0])
const END = Buffer.from('\r\n--x--\r\n')

function partOf(content: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a.mp4"\r\n\r\n'),
    content,
  ])
}

function begin(
  headers: Record<string, string> = {},
  { agent, at = host }: { agent?: Agent; at?: ProcessHost } = {},
): ClientRequest {
  const type = { 'Content-Type': 'multipart/form-data; boundary=x' }
  const upload = request(`${at.url}/prepare`, {
    method: 'POST',
    headers: { ...type, ...headers },
    ...(agent && { agent }),
  })
  // The server may end the connection while we still send.
  upload.on('error', () => undefined)
  return upload
}

async function answer(
  upload: ClientRequest,
): Promise<{ status: number | undefined; detail: string; port: number | undefined }> {
  const [response] = (await once(upload, 'response')) as [IncomingMessage]
  const port = response.socket.localPort
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  return { status: response.statusCode, detail: JSON.parse(text).detail, port }
}

/** Sends until the server has enough. */
async function keepSending(upload: ClientRequest): Promise<void> {
  while (!upload.destroyed) {
    upload.write(Buffer.alloc(65_536))
    await sleep(1)
  }
}

function requestFor(method: string, path: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
}

/** Sends bytes as they are and resolves with all that comes back. */
async function raw(text: string): Promise<string> {
  const socket = connect(Number(new URL(host.url).port), '127.0.0.1')
  socket.write(text.replace(/\r\n\r\n$/, '\r\nConnection: close\r\n\r\n'))
  let said = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    said += chunk
  })
  await once(socket, 'close')
  return said
}

test('HTTP/1.0 without a Host is answered, and HTTP/1.1 without one refused', async () => {
  const { hostname, port } = new URL(host.url)
  const ask = async (line: string) => {
    const socket = connect(Number(port), hostname)
    socket.end(`${line}\r\n\r\n`)
    return (await socket.setEncoding('latin1').toArray()).join('')
  }
  assert.match(await ask('GET /health HTTP/1.0'), /^HTTP\/1\.1 200 /)
  const document = await ask('GET /openapi.json HTTP/1.0')
  assert.ok(document.includes(`"url":"${host.url}"`), document.slice(0, 300))
  assert.match(await ask('GET /health HTTP/1.1'), /^HTTP\/1\.1 400 /)
})

test.run()
