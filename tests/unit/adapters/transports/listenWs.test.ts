import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { listenWs } from '#internal/adapters/transports/listenWs'
import { dialWs } from '#internal/adapters/transports/wsConnection'
import { assert, suite } from '#support/runner/suite'
import { closesItsSockets } from '../../../contract/ports/leaks'
import { until } from '../../../contract/ports/transports/setting'

const test = suite('listeners for WebSockets', { timeoutMs: 20_000 })
closesItsSockets(test, () => {}, 'soon')

const SILENT = 300

test('a client that says nothing on hundreds of connections keeps no other one out', async () => {
  const stop = new AbortController()
  const { port, closed } = await listenWs(['127.0.0.1'], 0, (link) => link.close(), stop.signal)
  const silent: Socket[] = []
  for (let count = 0; count < SILENT; count += 1) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    silent.push(socket)
    await once(socket, 'connect')
  }
  const link = await dialWs({ scheme: 'ws', host: '127.0.0.1', port, path: '/' }, '127.0.0.1', stop.signal)
  await link.closed
  await until(() => silent.filter(({ closed }) => closed).length >= SILENT - 256)
  assert.is(silent.at(-1)?.closed, false)
  stop.abort()
  for (const socket of silent) socket.destroy()
  await closed
})

test.run()
