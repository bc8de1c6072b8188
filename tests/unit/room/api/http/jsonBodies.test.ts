import { Hono } from 'hono'
import { ServiceError } from '#core/errors'
import { jsonBodies } from '#core/room/api/http/jsonBodies'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('bodies of requests')

/** The body as the handler sees it, or the code of the refusal. */
async function bodyOf(init: RequestInit): Promise<unknown> {
  const app = new Hono()
  for (const check of jsonBodies()) app.use(check)
  app.all('/', async (context) => context.json(await context.req.json()))
  app.onError((error, context) => context.json(error instanceof ServiceError ? error.code : String(error)))
  return (await app.request('/', init)).json()
}

const post = (body: string, headers: Record<string, string> = { 'Content-Type': 'application/json' }) =>
  bodyOf({ method: 'POST', body, headers: { 'Content-Length': String(body.length), ...headers } })

test('a JSON body reaches the handler', async () => {
  assert.equal(await post('{"a":[1]}'), { a: [1] })
  assert.equal(await post('{"a":1}', { 'Content-Type': 'Application/JSON ; charset=utf-8' }), { a: 1 })
})

test('an empty body that is called JSON is a request without fields', async () => {
  for (const body of ['', ' \n']) assert.equal(await post(body), {})
})

for (const [name, body, headers, code] of [
  ['of another type', 'a=1', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'unsupported-media'],
  ['without a type', '{}', { 'Content-Type': '' }, 'unsupported-media'],
  [
    'of chunks without a type',
    '{}',
    { 'Content-Type': 'text/plain', 'Transfer-Encoding': 'chunked' },
    'unsupported-media',
  ],
  ['that is cut off', '{"a":', { 'Content-Type': 'application/json' }, 'invalid-request'],
  ['that is not JSON', 'hello', { 'Content-Type': 'application/json' }, 'invalid-request'],
  [
    'of more than 64 KiB',
    `"${'x'.repeat(65_535)}"`,
    { 'Content-Type': 'application/json' },
    'payload-too-large',
  ],
  [
    'too large and of another type',
    'x'.repeat(65_537),
    { 'Content-Type': 'text/plain' },
    'unsupported-media',
  ],
] as const) {
  test(`a body ${name} is refused`, async () => assert.is(await post(body, headers), code))
}

test('a body of exactly 64 KiB is accepted', async () => {
  const text = 'x'.repeat(65_534)
  assert.is(await post(`"${text}"`), text)
})

test.run()
