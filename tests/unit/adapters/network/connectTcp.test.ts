import type { Socket } from 'node:net'
import { systemCode } from '@lantern-room/base'
import { connectTcp } from '#internal/adapters/network/connectTcp'
import { openSocketServer } from '#support/process/openPort'
import { freePort } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'

const test = suite('TCP connections')

const accepted: Socket[] = []
const server = await openSocketServer((socket) => void accepted.push(socket))
const to = { address: '127.0.0.1', port: server.port }
test.after(() => server.close())

test('resolves when connected, from the wanted local port', async () => {
  const localPort = await freePort()
  const socket = await connectTcp(to, { localPort })
  assert.is(socket.localPort, localPort)
  socket.destroy()
})

test('a refusal is the system’s error', async () => {
  const error = await rejection(connectTcp({ address: '127.0.0.1', port: await freePort() }, {}))
  assert.is(systemCode(error), 'ECONNREFUSED')
})

test('an abort rejects with the reason, before and while it connects', async () => {
  accepted.splice(0)
  const reason = new Error('stopped')
  assert.is(await rejection(connectTcp(to, { signal: AbortSignal.abort(reason) })), reason)
  const controller = new AbortController()
  const failure = rejection(connectTcp(to, { signal: controller.signal }))
  controller.abort(reason)
  assert.is(await failure, reason)
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.ok(accepted.length <= 1)
})

test('a code belongs to system errors only', () => {
  assert.is(systemCode(Object.assign(new Error('x'), { code: 'EPIPE' })), 'EPIPE')
  for (const other of [new Error('x'), { code: 'EPIPE' }, 'EPIPE', undefined])
    assert.is(systemCode(other), undefined)
})

test.run()
