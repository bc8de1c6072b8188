import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { createLocalNet } from '@lantern-room/adapters/localNet'
import { isOwnConnection } from '@lantern-room/adapters/network'
import { createSystemClock } from '@lantern-room/adapters/system'
import { asciiBytes } from '@lantern-room/base/bytes'
import { OUTGOING_HEADERS } from '@lantern-room/base/network'
import { readAll } from '#support/network/byteStreams'
import { assert, suite } from '#support/runner/suite'
import type { ListenAddress } from '../../../local-runner/bindPort'
import { listen } from '../../../local-runner/listen'

const test = suite('serving an app over HTTP')

const HOST = '127.0.0.1'
const AT: ListenAddress = { host: HOST, port: 0, name: 'MEDIA_PORT' }

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

test('what comes over a connection that this process has opened itself is refused, and nothing else', async () => {
  const server = await listen(async () => new Response('done'), AT, { isOwnConnection })
  const ask = asciiBytes('GET /state/ide HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n')
  const clock = createSystemClock()
  try {
    const own = await createLocalNet({ clock, lanInterfaces: [HOST] }).connect(server.port)
    await own.write(ask)
    assert.is((await readAll(own)).toString('latin1').slice(0, 12), 'HTTP/1.1 403')
    own.destroy()
    const other = connect(server.port, HOST).end(ask).setEncoding('latin1')
    assert.is((await other.toArray()).join('').slice(0, 12), 'HTTP/1.1 200')
    const marked = await get(server.port, '/state/ide', OUTGOING_HEADERS)
    assert.is(marked[0], 403)
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
