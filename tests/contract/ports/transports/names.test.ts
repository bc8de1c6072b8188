import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { createDeferred } from '@lantern-room/base/async'
import { createFakeClock } from '#support/network/fakeClock'
import { openPort, openSocketServer } from '#support/process/openPort'
import { freePort } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { closesItsSockets } from '../leaks'
import { endsBySignal, failure, loopback } from './setting'

const test = suite('transports: names and lists')
const transports = loopback()
const never = new AbortController().signal
closesItsSockets(test, () => {}, 'soon')

test('a literal address is its own answer, a name has all of its addresses, IPv4 first', async () => {
  const clock = createFakeClock()
  const { resolve } = loopback({ clock })
  assert.equal(await resolve('192.0.2.1', never), ['192.0.2.1'])
  assert.equal(await resolve('2001:db8::1', never), ['2001:db8::1'])
  assert.is((await resolve('localhost', never))[0], '127.0.0.1')
  assert.is(clock.timers, 0)
})

test('a name that cannot exist is no such host, and a signal stops the query', async () => {
  assert.is(await failure(transports.resolve('bad..name', never)), 'no such host')
  await endsBySignal((signal) => transports.resolve('localhost', signal))
})

test('a resolver that does not answer is given 5 s', async () => {
  const waits: number[] = []
  // A clock that runs ahead of every resolver.
  const after = (ms: number, act: () => void) => {
    waits.push(ms)
    queueMicrotask(act)
    return () => {}
  }
  const { resolve } = loopback({ clock: { ...createFakeClock(), after } })
  assert.is(await failure(resolve('localhost', never)), 'no answer from the name server')
  assert.equal(waits, [5000])
})

type Answer = (response: ServerResponse, base: string) => void

async function answering(answers: Readonly<Record<string, Answer>>) {
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? '']
    if (answer) answer(response, base)
    else response.writeHead(404).end('no such list')
  })
  const base = `http://127.0.0.1:${await openPort(server)}`
  const close = async () => {
    const isClosed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await isClosed
  }
  return { base, close }
}

function redirect(to: string): Answer {
  return (response) => response.writeHead(302, { location: to }).end('moved')
}

test('a list is its text', async () => {
  const list = 'tcp://192.0.2.1:11010\nudp://192.0.2.1:11010\n— ü'
  const { base, close } = await answering({
    '/list': (response) => {
      const bytes = Buffer.from(list)
      response.write(bytes.subarray(0, bytes.length - 1))
      setTimeout(() => response.end(bytes.subarray(bytes.length - 1)), 20)
    },
    '/node': redirect('tcp://192.0.2.9:11010'),
    '/nowhere': (response) => response.writeHead(302).end('no location'),
    '/bad': redirect('http://[not-an-address/'),
  })
  const read = (path: string) => transports.fetchText(base + path, 'typed', never)
  assert.is(await read('/list'), list)
  assert.is(await read('/node'), 'tcp://192.0.2.9:11010')
  assert.is(await failure(read('/nowhere')), 'it answers with status 302')
  assert.is(await failure(read('/bad')), 'it redirects to nowhere')
  assert.is(await failure(read('/absent')), 'it answers with status 404')
  await close()
})

test('64 KiB are accepted, a byte more is refused, and an endless answer is cut off', async () => {
  const isLeft = createDeferred<void>()
  const { base, close } = await answering({
    '/most': (response) => response.end('x'.repeat(65_536)),
    '/more': (response) => response.end('x'.repeat(65_537)),
    '/endless': (response) => {
      const more = () =>
        void (response.destroyed || response.write('x'.repeat(1000), () => setImmediate(more)))
      response.once('close', () => isLeft.resolve())
      more()
    },
  })
  assert.is((await transports.fetchText(`${base}/most`, 'typed', never)).length, 65_536)
  assert.is(
    await failure(transports.fetchText(`${base}/more`, 'typed', never)),
    'the text is longer than 64 KiB',
  )
  assert.is(
    await failure(transports.fetchText(`${base}/endless`, 'typed', never)),
    'the text is longer than 64 KiB',
  )
  await isLeft.promise
  await close()
})

test('a missing list is reported in a few words, and a silent server is left by the signal', async () => {
  const read = (port: number, signal = never) =>
    transports.fetchText(`http://127.0.0.1:${port}/`, 'typed', signal)
  assert.is(await failure(read(await freePort())), 'connection refused')
  const silent = await openSocketServer(() => {})
  await endsBySignal((signal) => read(silent.port, signal), 50)
  await silent.close()
  const cut = await openSocketServer((socket) => socket.once('data', () => socket.resetAndDestroy()))
  assert.is(await failure(read(cut.port)), 'the connection was reset')
  await cut.close()
})

test.run()
