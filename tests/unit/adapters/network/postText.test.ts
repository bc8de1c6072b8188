import { postText } from '#internal/adapters/network/postText'
import { openSocketServer } from '#support/process/openPort'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'

// Calls that are answered: tests/flows/callbacks.test.ts.

const test = suite('texts that are posted')

const server = await openSocketServer(() => {})
test.after(() => server.close())

const post = (host: string, ms: number) =>
  postText(
    `http://${host}:${server.port}/`,
    { headers: { 'X-Test': 'a' }, body: 'ä' },
    AbortSignal.timeout(ms),
  )

test('a name that leads to this machine is not connected to', async () => {
  // A name with a dot at its end is the same name, but not the one that is allowed.
  const refused = await rejection(post('localhost.', 5000))
  assert.match(String(refused), /localhost\. leads to an address that is not of the internet|ENOTFOUND/)
})

test('ends with the signal', async () => {
  assert.match(String(await rejection(post('127.0.0.1', 100))), /Abort|Timeout/)
})

test.run()
