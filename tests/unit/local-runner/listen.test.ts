import { once } from 'node:events'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { createDeferred } from '#core/async/deferred'
import { openPort } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'
import { rejectedRefusal } from '#support/values/failures'
import type { ListenAddress } from '../../../local-runner/bindPort'
import { listen } from '../../../local-runner/listen'

const test = suite('serving an app over HTTP')

const HOST = '127.0.0.1'
const AT: ListenAddress = { host: HOST, port: 0, name: 'MEDIA_PORT' }
const app = async (request: Request) => new Response(new URL(request.url).pathname)

test('the app is served at the address that is told', async () => {
  const server = await listen(app, AT)
  try {
    assert.ok(server.port > 0)
    assert.is(server.url, `http://${HOST}:${server.port}`)
    assert.equal(await get(server.port, '/a/b'), [200, '/a/b'])
  } finally {
    await server.close()
  }
})

test('an idle connection serves further requests until its time is over', async () => {
  const server = await listen(app, AT, { keepAliveMs: 4000 })
  const socket = connect(server.port, HOST)
  try {
    const closed = once(socket, 'close').then(() => performance.now())
    for (const path of ['/first', '/second']) {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
      const [said] = await once(socket, 'data')
      assert.match(String(said), path)
      await sleep(300)
    }
    const idleSince = performance.now() - 300
    // Node closes some time after what it announced, and not before.
    assert.ok((await closed) - idleSince >= 3900)
  } finally {
    socket.destroy()
    await server.close()
  }
})

test('a request that does not arrive whole in time is answered with 408, and its connection is closed', async () => {
  const reads = async (request: Request) => new Response(await request.text())
  const server = await listen(reads, AT, { requestMs: 200 })
  const halves = ['GET /a', 'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{']
  const sockets = halves.map(() => connect(server.port, HOST))
  try {
    const answers = await Promise.all(
      sockets.map(async (socket, at) => {
        let text = ''
        socket.on('data', (bytes) => {
          text += bytes
        })
        socket.write(halves[at] ?? '')
        await once(socket, 'close')
        return text.slice(0, 12)
      }),
    )
    assert.equal(answers, ['HTTP/1.1 408', 'HTTP/1.1 408'])
    assert.equal(await get(server.port, '/a'), [200, ''])
  } finally {
    for (const socket of sockets) socket.destroy()
    await server.close()
  }
})

test('a port in use is refused in one sentence, or another one is chosen where that is allowed', async () => {
  const other = createServer()
  const port = await openPort(other, HOST)
  try {
    const refusal = await rejectedRefusal(listen(app, { ...AT, port }), 'unavailable')
    assert.is(
      refusal.detail,
      `Port ${port} on ${HOST} is in use by another program. Stop that program, or set MEDIA_PORT to another port.`,
    )
    for (const fallback of [0, 3]) {
      const server = await listen(app, { ...AT, port, fallback })
      await server.close()
      assert.is.not(server.port, port)
    }
  } finally {
    other.close()
    await once(other, 'close')
  }
})

test('an address of another machine is refused', async () => {
  const refusal = await rejectedRefusal(listen(app, { ...AT, host: '192.0.2.1' }), 'unavailable')
  assert.match(refusal.detail, /^This machine has no address 192\.0\.2\.1\./)
})

test('while it closes the running request is answered, and a new one on an open connection is refused', async () => {
  const called = createDeferred<void>()
  const answer = createDeferred<Response>()
  const paths: string[] = []
  const slow = (request: Request) => {
    paths.push(new URL(request.url).pathname)
    called.resolve()
    return answer.promise
  }
  const server = await listen(slow, AT)
  const socket = connect(server.port, HOST)
  socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  await called.promise
  const closed = server.close()
  await new Promise((resolve) => socket.write('GET /late HTTP/1.1\r\nHost: x\r\n\r\n', resolve))
  // The server has read it after the next turn, however long that takes.
  for (let turns = 0; turns < 20; turns += 1) await nextTurn()
  answer.resolve(new Response('first'))
  const text = (await socket.setEncoding('utf8').toArray()).join('')
  await closed
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n.*first.*HTTP\/1\.1 503 .*The service is stopping\./s)
  assert.equal(paths, ['/slow'])
})

test('a request that cannot be read gets the body that the service gives its errors', async () => {
  const server = await listen(app, AT, { errorBody: ({ code }) => ({ failed: code }) })
  try {
    const socket = connect(server.port, HOST)
    socket.end('GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n')
    const text = (await socket.setEncoding('utf8').toArray()).join('')
    assert.match(text, /^HTTP\/1\.1 400 /)
    assert.match(text, /\{"failed":"invalid-request"\}/)
  } finally {
    await server.close()
  }
})

test('only the offer of a WebSocket is an upgrade; one of HTTP/2 is served without it', async () => {
  const upgrades: (string | undefined)[] = []
  const server = await listen(app, AT, {
    onUpgrade({ url }, socket) {
      upgrades.push(url)
      socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
    },
  })
  try {
    const offer = (protocol: string) => ({ Connection: 'Upgrade, HTTP2-Settings', Upgrade: protocol })
    assert.equal(await get(server.port, '/plain', offer('h2c')), [200, '/plain'])
    assert.equal(upgrades, [])
    assert.equal((await get(server.port, '/ws', offer('websocket')))[0], 101)
    assert.equal(upgrades, ['/ws'])
  } finally {
    server.cut()
    await server.close()
  }
})

function get(port: number, path: string, headers = {}): Promise<readonly [number | undefined, string]> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: HOST, port, path, headers, agent: false }, async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('')
      resolve([response.statusCode, text])
    })
    sent.on('upgrade', (response, socket) => {
      socket.destroy()
      resolve([response.statusCode, ''])
    })
    sent.on('error', reject).end()
  })
}

test.run()
