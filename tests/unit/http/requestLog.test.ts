import { Hono } from 'hono'
import { ServiceError } from '#core/errors'
import { requestLog } from '#core/http/requestLog'
import { assert, suite } from '#support/runner/suite'

const test = suite('the log of requests')

async function lineOf(path: string, init?: RequestInit) {
  const lines: Record<string, unknown>[] = []
  const add = (level: string) => (message: string, fields: Record<string, unknown>) =>
    void lines.push({ level, message, ...fields })
  let now = 0
  const app = new Hono<{ Variables: { sessionId: string } }>()
  app.use(
    requestLog({ log: { info: add('info'), warn: add('warn'), error: add('error') }, now: () => (now += 5) }),
  )
  app.get('/sessions/:id', (context) => {
    context.set('sessionId', 'known')
    return context.text('here')
  })
  app.get('/busy', () => {
    throw new ServiceError('too-busy', 'busy')
  })
  app.get('/broken', () => {
    throw new Error('broken', { cause: new Error('disk') })
  })
  app.onError((error, context) => context.text('no', error instanceof ServiceError ? 429 : 500))
  const response = await app.request(path, init)
  assert.is(lines.length, 1)
  const { request_id, ...line } = lines[0] ?? {}
  assert.is(response.headers.get('X-Request-Id'), request_id)
  assert.match(String(request_id), /^[0-9a-f-]{36}$/)
  return line
}

test('a line has the route and not the path', async () => {
  assert.equal(await lineOf('/sessions/a-secret'), {
    level: 'info',
    message: 'request',
    method: 'GET',
    route: '/sessions/:id',
    status: 200,
    took_ms: 5,
    session_id: 'known',
  })
})

test('a refusal has its code', async () => {
  const { level, status, code } = await lineOf('/busy')
  assert.equal([level, status, code], ['info', 429, 'too-busy'])
})

test('a mistake is an error with all its causes', async () => {
  const { level, message, cause } = await lineOf('/broken')
  assert.equal([level, message], ['error', 'request failed'])
  assert.match(JSON.stringify(cause), /Error: broken.*Error: disk/)
})

test('a client that has left is no error', async () => {
  const { level, message } = await lineOf('/broken', { signal: AbortSignal.abort() })
  assert.equal([level, message], ['info', 'client left'])
  const stopped = AbortSignal.abort(new ServiceError('timeout', 'late'))
  assert.is((await lineOf('/broken', { signal: stopped })).message, 'request failed')
})

test.run()
