import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { APIGatewayProxyEvent } from 'aws-lambda'
import {
  EXECUTE_API,
  FUNCTION_URL,
  functionUrl,
  httpApi,
  httpApiStage,
  restApi,
  restApiBasePath,
  restApiOwnDomain,
} from '#support/hosts/lambdaEvents'
import { assert, suite } from '#support/runner/suite'
import type { HttpEvent } from '../../../../handlers/host/address'
import { receivedRequest } from '../../../../handlers/host/receivedRequest'

const test = suite('events of Lambda as requests')

const DOORS = [
  ['REST API', restApi, `https://${EXECUTE_API}`, '/dev'],
  ['REST API at a base path', restApiBasePath, 'https://api.example.com', '/media'],
  ['REST API at its own domain', restApiOwnDomain, 'https://api.example.com', ''],
  ['HTTP API', httpApi, `https://${EXECUTE_API}`, ''],
  ['HTTP API with a stage', httpApiStage, `https://${EXECUTE_API}`, '/dev'],
  ['Function URL', functionUrl, `https://${FUNCTION_URL}`, ''],
] as const

for (const [name, door, origin, basePath] of DOORS) {
  test(`${name}: path, query and what stands before them`, () => {
    for (const [path, route] of [
      ['/', '/'],
      ['/health', '/health'],
      ['/preview/0123.mp4?a=1&a=2&b=%C3%A4%20%26', '/preview/{file}'],
      ['/preview/0123.mp4', undefined],
      ['/sessions/dev', '/sessions/{session_id}'],
      ['/dev/dev', '/{proxy+}'],
      ['/media/media/x', '/{proxy+}'],
      ['/a/%C3%A4', '/{proxy+}'],
    ] as const) {
      const { request, basePath: before } = received(door({ method: 'GET', path, ...(route && { route }) }))
      const expected = new URL(path, origin)
      const actual = new URL(request.url)
      assert.is(actual.origin + actual.pathname, expected.origin + expected.pathname)
      assert.equal([...actual.searchParams], [...expected.searchParams])
      assert.is(before, basePath, path)
    }
  })

  test(`${name}: header fields, cookies and bytes`, () => {
    const body = Uint8Array.from({ length: 256 }, (_, index) => index)
    const { request } = received(
      door({
        method: 'POST',
        path: '/prepare',
        body,
        headers: [
          ['Content-Type', 'application/octet-stream'],
          ['Accept', 'image/jpeg'],
          ['Accept', '*/*'],
          ['X-Name', 'Käse'],
          ['Cookie', 'a=1; b=2'],
        ],
      }),
    )
    assert.is(request.method, 'POST')
    assert.match(request.headers.get('Accept') ?? '', /^image\/jpeg, ?\*\/\*$/)
    assert.is(request.headers.get('Cookie'), 'a=1; b=2')
    assert.is(Buffer.from(request.headers.get('X-Name') ?? '', 'latin1').toString(), 'Käse')
    assert.is(request.headers.get('Content-Length'), '256')
    return request.arrayBuffer().then((bytes) => assert.equal(new Uint8Array(bytes), body))
  })
}

test('a text body comes as it is', async () => {
  const event = restApi({ method: 'POST', path: '/thumbnail' })
  const { request } = received({ ...event, body: '{"ä":1}', isBase64Encoded: false })
  assert.is(await request.text(), '{"ä":1}')
})

test('a HTTP API without routes still knows its stage', () => {
  const { request, basePath } = received(httpApiStage({ method: 'GET', path: '/health', route: '$default' }))
  assert.is(new URL(request.url).pathname, '/health')
  assert.is(basePath, '/dev')
  const { request: other } = received(httpApiStage({ method: 'GET', path: '/', route: '$default' }))
  assert.is(new URL(other.url).pathname, '/')
})

test('a stage that the client does not see is no part of the address', () => {
  const event = httpApiStage({ method: 'GET', path: '/health' })
  const requestContext = { ...event.requestContext, domainName: 'api.example.com' }
  const { basePath } = received({ ...event, requestContext } as HttpEvent)
  assert.is(basePath, '')
})

test('older events with single header fields only, and a body with GET, are understood', () => {
  const event = restApi({
    method: 'GET',
    path: '/health?x=%26',
    headers: [['X-A', 'b']],
  }) as APIGatewayProxyEvent
  const { request } = received({
    ...event,
    body: 'ignored',
    multiValueHeaders: null,
    multiValueQueryStringParameters: null,
  } as unknown as HttpEvent)
  assert.is(request.headers.get('X-A'), 'b')
  assert.is(new URL(request.url).search, '?x=%26')
  assert.is(request.body, null)
})

test('on a developer’s machine the header Host tells the address', () => {
  const event = restApi({ method: 'GET', path: '/health' }) as APIGatewayProxyEvent
  const requestContext = { ...event.requestContext, domainName: 'offlineContext_domainName' }
  const headers = { Host: '127.0.0.1:8000' }
  const { signal } = new AbortController()
  const offline = receivedRequest(
    { ...event, headers, multiValueHeaders: {}, requestContext },
    { isOffline: true, signal },
  )
  assert.is(offline?.request.url, 'http://127.0.0.1:8000/health')
  assert.is(offline?.basePath, '')
})

test('what is no request is none', () => {
  const { signal } = new AbortController()
  for (const event of [
    restApi({ method: 'TRACE', path: '/health' }),
    restApi({ method: 'GET', path: '/health', headers: [['X', 'a\nb']] }),
    {},
    { Records: [] },
  ])
    assert.is(receivedRequest(event as HttpEvent, { isOffline: false, signal }), undefined)
})

test('its signal is aborted by ours, also when nobody holds the request any more', async () => {
  const controller = new AbortController()
  const { signal } = received(restApi({ method: 'GET', path: '/' }), controller.signal).request
  setFlagsFromString('--expose-gc')
  for (const collect = runInNewContext('gc'), until = Date.now() + 50; Date.now() < until; collect())
    await new Promise(setImmediate)
  assert.not(signal.aborted)
  controller.abort()
  assert.ok(signal.aborted)
})

function received(event: HttpEvent, signal = new AbortController().signal) {
  const result = receivedRequest(event, { isOffline: false, signal })
  if (result === undefined) throw new Error('no request')
  return result
}

test.run()
