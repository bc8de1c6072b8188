import { gunzipSync } from 'node:zlib'
import { webPageResponse, workerResponse } from '#internal/base/http/webPage'
import { assert, suite } from '#support/runner/suite'

const test = suite('web page')

const PAGE = { html: '<!doctype html>', styleHash: 'sha256-S=', scriptHash: 'sha256-T=' }
const directives = (response: Response) =>
  Object.fromEntries(
    (response.headers.get('Content-Security-Policy') ?? '').split('; ').map((directive) => {
      const [name = '', ...sources] = directive.split(' ')
      return [name, sources]
    }),
  )

test('its own script and style run, nothing else is loaded, nobody frames it', async () => {
  const response = webPageResponse(PAGE)
  assert.is(await response.text(), PAGE.html)
  assert.equal(directives(response), {
    'default-src': ["'none'"],
    'script-src': ["'sha256-T='"],
    'style-src': ["'sha256-S='"],
    'connect-src': ["'self'"],
    'img-src': ["'self'", 'blob:', 'data:'],
    'media-src': ["'self'", 'blob:'],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  })
  assert.is(response.headers.get('X-Frame-Options'), 'DENY')
  assert.is(response.headers.get('X-Content-Type-Options'), 'nosniff')
  assert.is(response.headers.get('Referrer-Policy'), 'no-referrer')
})

test('a bucket may be sent files, and shown from, but not run from', () => {
  const found = directives(webPageResponse(PAGE, ['https://s3.example.com']))
  assert.equal(found['connect-src'], ["'self'", 'https://s3.example.com'])
  assert.equal(found['media-src'], ["'self'", 'https://s3.example.com', 'blob:'])
  assert.equal(found['script-src'], ["'sha256-T='"])
})

test('a page with a worker runs that of its own service, which may ask for nothing', async () => {
  const found = directives(webPageResponse({ ...PAGE, worker: 'work()' }))
  assert.equal(found['worker-src'], ["'self'"])
  const script = workerResponse('work()')
  assert.is(await script.text(), 'work()')
  assert.match(script.headers.get('Content-Type') ?? '', /^text\/javascript/)
  assert.equal(directives(script), { 'default-src': ["'none'"] })
})

test('it is sent as the client takes it: compressed, or as it is', async () => {
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'gzip'],
    ['br;q=1.0, gzip;q=0', null],
    ['identity', null],
  ] as const) {
    const response = webPageResponse(PAGE, [], 200, accepted)
    assert.is(response.headers.get('Content-Encoding'), encoding, accepted)
    assert.is(response.headers.get('Vary'), 'Accept-Encoding')
    const bytes = new Uint8Array(await response.arrayBuffer())
    assert.is(String(encoding === null ? Buffer.from(bytes) : gunzipSync(bytes)), PAGE.html)
  }
})

test.run()
