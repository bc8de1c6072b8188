import { Hono } from 'hono'
import { bearerAuth } from '#core/http/bearerAuth'
import { failureOf } from '#core/http/errorResponse'
import { assert, suite } from '#support/runner/suite'

const test = suite('the bearer token')
const app = new Hono()
const tokens = [
  { token: 'right', name: 'first' },
  { token: 'other', name: 'second' },
]
const accepted: string[] = []
app.use(
  bearerAuth(
    tokens,
    (path) => path === '/open',
    (_context, { name }) => void accepted.push(name),
  ),
)
app.get('*', (context) => context.text('in'))
app.onError((error, context) => context.text('out', failureOf(error).status))

const cases: readonly [path: string, authorization: string | undefined, status: number][] = [
  ['/', 'Bearer right', 200],
  ['/', 'bearer   right  ', 200],
  ['/', 'Bearer other', 200],
  ['/', undefined, 401],
  ['/', '', 401],
  ['/', 'right', 401],
  ['/', 'Basic right', 401],
  ['/', 'Bearer wrong', 401],
  ['/', 'Bearer right more', 401],
  ['/', 'Bearer rightmore', 401],
  ['/', 'Bearer righ', 401],
  ['/open', undefined, 200],
  ['/open', 'Bearer right', 200],
  ['/open', 'Bearer wrong', 401],
  ['/open/more', undefined, 401],
]
for (const [path, authorization, status] of cases)
  test(`${path} with ${JSON.stringify(authorization)} is ${status}`, async () => {
    const headers = authorization === undefined ? undefined : { Authorization: authorization }
    assert.is((await app.request(path, { headers: headers ?? {} })).status, status)
  })

test('it tells which token a request has', async () => {
  accepted.length = 0
  for (const token of ['other', 'wrong', 'right']) {
    await app.request('/', { headers: { Authorization: `Bearer ${token}` } })
  }
  await app.request('/open')
  assert.equal(accepted, ['second', 'first'])
})

test.run()
