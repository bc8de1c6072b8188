import { createServer } from 'node:http'
import { postText } from '#core/adapters/network/postText'
import { openPort } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'

const test = suite('texts that are posted')

const heard: string[] = []
const server = createServer((request, response) => {
  heard.push(`${request.method} ${request.url}`)
  response.writeHead(request.url === '/moved' ? 307 : 204, { Location: '/elsewhere' }).end()
})
let port = 0
const post = (url: string, signal = AbortSignal.timeout(5000)) =>
  postText(url, { headers: { 'X-Test': 'a' }, body: 'ä' }, signal)

test.before(async () => {
  port = await openPort(server)
})
test.after(() => void server.close())

test('resolves with the status, and follows no redirect', async () => {
  assert.is(await post(`http://127.0.0.1:${port}/a?b=c`), 204)
  assert.is(await post(`http://localhost:${port}/moved`), 307)
  assert.equal(heard.splice(0), ['POST /a?b=c', 'POST /moved'])
})

test('a name that leads to this machine is not connected to', async () => {
  // A name with a dot at its end is the same name, but not the one that is allowed.
  const refused = await rejection(post(`http://localhost.:${port}/`))
  assert.match(String(refused), /localhost\. leads to an address that is not of the internet|ENOTFOUND/)
  assert.equal(heard, [])
})

test('ends with the signal', async () => {
  const silent = createServer(() => {})
  const silentPort = await openPort(silent)
  const failure = await rejection(post(`http://127.0.0.1:${silentPort}/`, AbortSignal.timeout(100)))
  assert.match(String(failure), /Abort|Timeout/)
  silent.closeAllConnections()
  silent.close()
})

test.run()
