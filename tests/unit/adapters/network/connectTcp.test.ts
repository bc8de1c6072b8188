import { createServer, type Socket } from 'node:net'
import { connectTcp } from '#core/adapters/network/connectTcp'
import { systemCode } from '#core/errors'
import { openPort } from '#support/process/openPort'
import { freePort } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'

const test = suite('TCP connections')

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

async function withServer(act: (port: number, accepted: readonly Socket[]) => Promise<void>): Promise<void> {
  const accepted: Socket[] = []
  const server = createServer((socket) => {
    accepted.push(socket.on('error', () => {}))
  })
  const port = await openPort(server)
  try {
    await act(port, accepted)
  } finally {
    for (const socket of accepted) socket.destroy()
    server.close()
  }
}

test('resolves when connected, from the wanted local port', () =>
  withServer(async (port) => {
    const localPort = await freePort()
    const socket = await connectTcp({ address: '127.0.0.1', port }, { localPort })
    assert.is(socket.localPort, localPort)
    socket.destroy()
  }))

test('a refusal is the system’s error', async () => {
  const error = await failureOf(connectTcp({ address: '127.0.0.1', port: await freePort() }, {}))
  assert.is(systemCode(error), 'ECONNREFUSED')
})

test('an abort rejects with the reason, before and while it connects', () =>
  withServer(async (port, accepted) => {
    const reason = new Error('stopped')
    const to = { address: '127.0.0.1', port }
    assert.is(await failureOf(connectTcp(to, { signal: AbortSignal.abort(reason) })), reason)
    const controller = new AbortController()
    const failure = failureOf(connectTcp(to, { signal: controller.signal }))
    controller.abort(reason)
    assert.is(await failure, reason)
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.ok(accepted.length <= 1)
  }))

test('no answer within the limit is an error without addresses', async () => {
  const error = await failureOf(connectTcp({ address: '192.0.2.1', port: 9 }, { timeoutMs: 30 }))
  // A machine without a route is told so by its system at once.
  if (systemCode(error) === undefined) assert.is(String(error), 'Error: no connection in 30 ms')
})

test('a code belongs to system errors only', () => {
  assert.is(systemCode(Object.assign(new Error('x'), { code: 'EPIPE' })), 'EPIPE')
  for (const other of [new Error('x'), { code: 'EPIPE' }, 'EPIPE', undefined])
    assert.is(systemCode(other), undefined)
})

test.run()
