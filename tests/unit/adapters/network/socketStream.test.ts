import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connectTcp } from '#internal/adapters/network/connectTcp'
import { socketStream } from '#internal/adapters/network/socketStream'
import { openSocketServer } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'

const test = suite('streams of sockets')

const PIECES = 2000

test('what has come in thousands of pieces is read at once', async () => {
  let accepted: Socket | undefined
  const server = await openSocketServer((socket) => {
    accepted = socket
  })
  const socket = await connectTcp({ address: '127.0.0.1', port: server.port }, {})
  const stream = socketStream(socket)
  while (!accepted) await new Promise(setImmediate)
  for (let piece = 0; piece < PIECES; piece += 1) {
    accepted.setNoDelay(true).write(Uint8Array.of(piece & 0xff))
    await once(socket, 'data')
  }
  const expected = Uint8Array.from({ length: PIECES }, (_, piece) => piece & 0xff)
  assert.equal(new Uint8Array((await stream.read()) ?? []), expected)
  stream.destroy()
  await server.close()
})

test.run()
