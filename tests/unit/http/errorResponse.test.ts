import { HTTPException } from 'hono/http-exception'
import { type ErrorCode, ServiceError } from '#core/errors'
import { failureOf, HTTP_STATUS } from '#core/http/errorResponse'
import { assert, suite } from '#support/runner/suite'

const test = suite('errorResponse')

test('every code has the status that was decided', () => {
  assert.equal(HTTP_STATUS, {
    'invalid-request': 400,
    unauthorized: 401,
    forbidden: 403,
    'not-found': 404,
    'method-not-allowed': 405,
    'not-acceptable': 406,
    conflict: 409,
    'payload-too-large': 413,
    'unsupported-media': 415,
    'out-of-range': 422,
    unprocessable: 422,
    'too-busy': 429,
    internal: 500,
    unavailable: 503,
    timeout: 504,
  })
})

test('our own errors keep their words', () => {
  const { error, status } = failureOf(new ServiceError('conflict', 'Stop it first.'))
  assert.is(status, 409)
  assert.is(error.detail, 'Stop it first.')
})

test("a stranger's words are never shown", () => {
  const { error, status } = failureOf(new Error('ENOENT: /srv/secret'))
  assert.is(status, 500)
  assert.is(error.code, 'internal')
  assert.not.match(error.detail, /secret|ENOENT/)
  assert.match(String((error.cause as Error).message), /secret/)
})

for (const [thrown, status] of [
  [new HTTPException(400, { message: 'Malformed JSON' }), 400],
  [new HTTPException(413), 413],
  [new HTTPException(500), 500],
  ['a bare text', 500],
  [undefined, 500],
] as const) {
  test(`what is thrown as ${String(thrown)} answers ${status}`, () => {
    assert.is(failureOf(thrown).status, status)
  })
}

test('who should come again is told when; who has no token is told how', () => {
  const headersOf = (code: ErrorCode) => failureOf(new ServiceError(code, 'x')).headers
  assert.ok(Number(headersOf('too-busy')['Retry-After']) > 0)
  assert.ok(Number(headersOf('unavailable')['Retry-After']) > 0)
  assert.is(headersOf('unauthorized')['WWW-Authenticate'], 'Bearer')
  assert.is(headersOf('not-found')['Retry-After'], undefined)
  assert.is(headersOf('not-found')['Cache-Control'], 'no-store')
})

test.run()
