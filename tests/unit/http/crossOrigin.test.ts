import { Hono } from 'hono'
import { crossOrigin } from '#core/http/crossOrigin'
import { assert, suite } from '#support/runner/suite'

const test = suite('cross-origin access')

const PAGE = 'https://page.example'
const ALLOWED = 'https://allowed.example'

test('by default every origin is repeated, with credentials', async () => {
  const { headers } = await ask(undefined, 'GET', PAGE)
  assert.is(headers.get('Access-Control-Allow-Origin'), PAGE)
  assert.is(headers.get('Access-Control-Allow-Credentials'), 'true')
  assert.match(headers.get('Access-Control-Expose-Headers') ?? '', /Content-Range.*Retry-After/)
})

test('by default a preflight allows every method', async () => {
  const { status, headers } = await ask(undefined, 'OPTIONS', PAGE)
  assert.is(status, 204)
  assert.is(headers.get('Access-Control-Allow-Methods'), 'GET,HEAD,POST,OPTIONS,PUT,PATCH,DELETE')
  assert.is(headers.get('Access-Control-Max-Age'), '600')
})

test('a list of origins lets in those alone', async () => {
  const allowed = await ask([ALLOWED], 'GET', ALLOWED)
  assert.is(allowed.headers.get('Access-Control-Allow-Origin'), ALLOWED)
  for (const origin of [PAGE, `${ALLOWED}.evil.example`, 'null']) {
    const { headers } = await ask([ALLOWED], 'GET', origin)
    assert.is(headers.get('Access-Control-Allow-Origin'), null, origin)
  }
})

test('with a list of origins PUT and DELETE are allowed only for uploads', async () => {
  const methods = async (path: string) =>
    (await ask([ALLOWED], 'OPTIONS', ALLOWED, path)).headers.get('Access-Control-Allow-Methods')
  assert.is(await methods('/file'), 'GET,HEAD,POST,OPTIONS')
  assert.is(await methods('/put'), 'GET,HEAD,POST,OPTIONS,PUT,DELETE')
})

async function ask(
  allowedOrigins: readonly string[] | undefined,
  method: string,
  origin: string,
  path = '/file',
): Promise<Response> {
  const app = new Hono()
  app.use(crossOrigin(allowedOrigins, (asked) => asked === '/put'))
  app.all('*', ({ text }) => text('here'))
  return app.request(path, { method, headers: { Origin: origin, 'Access-Control-Request-Method': 'PUT' } })
}

test.run()
