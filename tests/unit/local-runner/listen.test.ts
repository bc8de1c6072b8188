import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { createDeferred } from '#core/async/deferred'
import { assert, suite } from '#support/runner/suite'
import type { ListenAddress } from '../../../local-runner/bindPort'
import { listen } from '../../../local-runner/listen'

const test = suite('serving an app over HTTP')

const HOST = '127.0.0.1'
const AT: ListenAddress = { host: HOST, port: 0, name: 'MEDIA_PORT' }
const app = async (request: Request) => new Response(new URL(request.url).pathname)

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
