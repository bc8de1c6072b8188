import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createDeferred } from '@lantern-room/base/async'
import type { NodeUrl } from '@lantern-room/easytier/wire'
import { type WebSocket, WebSocketServer } from 'ws'
import { openPort, openSocketServer } from '#support/process/openPort'
import { freePort } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { closesItsSockets } from '../leaks'
import { endsBySignal, failure, loopback, portOf, turn, until } from './setting'

const test = suite('transports: ws', { timeoutMs: 30_000 })
const transports = loopback()
const never = new AbortController().signal
closesItsSockets(test, () => {}, 'soon')

function urlOf(port: number, path = '/'): NodeUrl {
  return { scheme: 'ws', host: '127.0.0.1', port, path }
}

/** Self-signed, for `node.example`: no client would trust it. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggyyUDF38EwxAt/VZ
Qg8lFpIL99NR9nSBfuTB9R9cQOChRANCAAT7w/dP7vzELYAoWBij6W7unmoAhIZx
rNkMiMOyr6LW0+YADXv6kdbBXcEOWxWtNhGIhdEp1RP3iw6lLIe83+ZO
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBhTCCASugAwIBAgIUZlQAXB3KlWYTpRgDdoplzujvf7cwCgYIKoZIzj0EAwIw
FzEVMBMGA1UEAwwMbm9kZS5leGFtcGxlMCAXDTI2MTEyMTE4MDMyMloYDzIxMjYx
MDI4MTgwMzIyWjAXMRUwEwYDVQQDDAxub2RlLmV4YW1wbGUwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAAT7w/dP7vzELYAoWBij6W7unmoAhIZxrNkMiMOyr6LW0+YA
DXv6kdbBXcEOWxWtNhGIhdEp1RP3iw6lLIe83+ZOo1MwUTAdBgNVHQ4EFgQUjmWb
0twzUMHwSbOdYvujAvOz4RwwHwYDVR0jBBgwFoAUjmWb0twzUMHwSbOdYvujAvOz
4RwwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiBDKSu0SpUfL3Ou
X+vmblYRpTbxrRgjT4nVBqiEioPjxwIhALbAk6k2z/8WZZgAaLi8r2NbxisEQcjg
DdptTvrR6m96
-----END CERTIFICATE-----`

async function serving(onSocket: (ws: WebSocket, path: string | undefined) => void) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  server.on('connection', (ws, { url }) => {
    ws.on('error', () => {})
    onSocket(ws, url)
  })
  return { port: portOf(server), close: () => new Promise((resolve) => server.close(resolve)) }
}

test('one binary message is one packet, and the request has the path', async () => {
  const path = createDeferred<string | undefined>()
  const server = await serving((ws, asked) => {
    path.resolve(asked)
    ws.on('message', (message, isBinary) => isBinary && ws.send(message))
  })
  const link = await transports.dialWs(urlOf(server.port, '/room?x=1'), '127.0.0.1', never)
  assert.is(await path.promise, '/room?x=1')
  const echo = createDeferred<Uint8Array>()
  link.onPacket(echo.resolve)
  link.send(noise(2000))
  equalBytes(await echo.promise, noise(2000))
  link.close()
  await link.closed
  await server.close()
})

for (const [what, message] of [
  ['a text', 'a text of more than sixteen letters'],
  ['a packet without a whole header', noise(15)],
  ['a packet of 2,001 bytes', noise(2001)],
] as const)
  test(`${what} closes the connection`, async () => {
    const server = await serving((ws) => ws.send(message))
    const link = await transports.dialWs(urlOf(server.port), '127.0.0.1', never)
    let count = 0
    link.onPacket(() => {
      count += 1
    })
    await link.closed
    assert.is(count, 0)
    await server.close()
  })

test('wss verifies neither name nor authority', async () => {
  const https = createSecureServer({ key, cert })
  const port = await openPort(https)
  const server = new WebSocketServer({ server: https })
  server.on('connection', (ws) => ws.on('message', (message) => ws.send(message)))
  const url: NodeUrl = { scheme: 'wss', host: '127.0.0.1', port, path: '/' }
  const link = await transports.dialWs(url, '127.0.0.1', never)
  assert.equal(link.remote, { address: '127.0.0.1', port })
  const echoed: Uint8Array[] = []
  link.onPacket((packet) => void echoed.push(packet))
  for (let size = 16; size <= 2000; size += 31) link.send(noise(size))
  await until(() => echoed.length === 65)
  for (const [i, packet] of echoed.entries()) equalBytes(packet, noise(16 + i * 31))
  link.close()
  await link.closed
  const isClosed = once(https, 'close')
  server.close()
  https.close()
  await isClosed
})

test('a side that does not read loses packets instead of filling our memory', async () => {
  const served = createDeferred<WebSocket>()
  const server = await serving((ws) => {
    ws.pause()
    served.resolve(ws)
  })
  const link = await transports.dialWs(urlOf(server.port), '127.0.0.1', never)
  const far = await served.promise
  for (let i = 0; i < 24_000; i++) {
    link.send(noise(2000))
    if (i % 100 === 0) await turn()
  }
  let received = 0
  far.on('message', () => {
    received += 2000
  })
  far.resume()
  const before = received
  await until(() => received > before)
  link.close()
  await link.closed
  assert.ok(received > 1_000_000 && received < 24 * 1024 * 1024, `${received} bytes were held`)
  await server.close()
})

test('a server of another kind, or none, is reported in a few words', async () => {
  const http = createServer((_request, response) => response.writeHead(404).end())
  const port = await openPort(http)
  const refused = 'it answers with status 404, not as a WebSocket'
  assert.is(await failure(transports.dialWs(urlOf(port), '127.0.0.1', never)), refused)
  http.close()
  http.closeAllConnections()
  await once(http, 'close')
  assert.is(
    await failure(transports.dialWs(urlOf(await freePort()), '127.0.0.1', never)),
    'connection refused',
  )
})

test('a dial ends by its signal, or after 5 s without an answer', async () => {
  const silent = await openSocketServer(() => {})
  await endsBySignal((signal) => transports.dialWs(urlOf(silent.port), '127.0.0.1', signal), 50)
  assert.is(await failure(transports.dialWs(urlOf(silent.port), '127.0.0.1', never)), 'no answer in 5 s')
  await silent.close()
})

test('a server that only pretends to speak WebSocket is described in our own words', async () => {
  const reply = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
  for (const answer of [`${reply}Sec-WebSocket-Accept: x\r\n\r\n`, 'SSH-2.0-OpenSSH_9.2\r\n']) {
    const server = await openSocketServer((socket) => void socket.once('data', () => socket.end(answer)))
    const failed = await failure(transports.dialWs(urlOf(server.port), '127.0.0.1', never))
    assert.is(failed, 'it does not answer as a WebSocket', answer)
    await server.close()
  }
})

test.run()
