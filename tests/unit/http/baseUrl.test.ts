import { baseUrl } from '#core/http/baseUrl'
import { assert, suite } from '#support/runner/suite'

const test = suite('baseUrl')
const request = (headers: Record<string, string> = {}) => ({
  url: 'http://10.0.0.1:8000/prepare?x=1',
  headers: new Headers(headers),
})
const plain = { publicBaseUrl: undefined, trustProxy: false }
const behindProxy = { publicBaseUrl: undefined, trustProxy: true }

test('is the origin of the request', () => {
  assert.is(baseUrl(request(), plain), 'http://10.0.0.1:8000')
})

test('the public address wins, with its path', () => {
  const settings = { publicBaseUrl: 'https://media.example.com/v1', trustProxy: true }
  assert.is(
    baseUrl(request({ 'X-Forwarded-Host': 'evil.example' }), settings),
    'https://media.example.com/v1',
  )
})

test('forwarded headers count only behind a trusted proxy', () => {
  const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'media.example.com' }
  assert.is(baseUrl(request(headers), plain), 'http://10.0.0.1:8000')
  assert.is(baseUrl(request(headers), behindProxy), 'https://media.example.com')
})

test('of several proxies the first speaks', () => {
  const headers = { 'X-Forwarded-Proto': 'https, http', 'X-Forwarded-Host': 'a.example, b.example' }
  assert.is(baseUrl(request(headers), behindProxy), 'https://a.example')
})

test('forwarded nonsense is passed over', () => {
  assert.is(baseUrl(request({ 'X-Forwarded-Proto': 'javascript' }), behindProxy), 'http://10.0.0.1:8000')
  assert.is(baseUrl(request({ 'X-Forwarded-Host': 'a b<c>' }), behindProxy), 'http://10.0.0.1:8000')
  assert.is(baseUrl(request({ 'X-Forwarded-Host': 'a.example/path' }), behindProxy), 'http://a.example')
})

test.run()
