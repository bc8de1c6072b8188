import { ServiceError } from '#core/errors'
import { refuseForeign } from '#core/room/api/refuseForeign'
import { assert, suite } from '#support/runner/suite'

const test = suite('requests of foreign pages')

const ALLOWED = ['https://launcher.example.com', 'tauri://localhost']

function isRefused(headers: Record<string, string>): boolean {
  return refusal(headers) !== undefined
}

function refusal(headers: Record<string, string>): string | undefined {
  try {
    refuseForeign(new Headers(headers), ALLOWED)
    return undefined
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'forbidden') return error.detail
    throw error
  }
}

const HOST = '127.0.0.1:5062'

for (const host of [
  '127.0.0.1',
  '127.0.0.1:5062',
  '127.1.2.3:1',
  'localhost',
  'LOCALHOST:5062',
  '[::1]:5062',
]) {
  test(`the host ${host} is this machine`, () => assert.not.ok(isRefused({ Host: host })))
}

for (const host of [
  '',
  'example.com',
  '127.0.0.1.example.com',
  'localhost.example.com',
  '10.0.0.1',
  '[::2]',
  '::1',
]) {
  test(`the host "${host}" is refused`, () => assert.ok(isRefused({ Host: host })))
}

test('a request without a host is refused', () => assert.ok(isRefused({})))

for (const [origin, isForeign] of [
  [`http://${HOST}`, false],
  ['https://launcher.example.com', false],
  [`https://${HOST}`, true],
  ['http://127.0.0.1:5063', true],
  ['https://launcher.example.com.evil.example', true],
  ['null', true],
  ['tauri://localhost', false],
  ['tauri://evil', true],
] as const) {
  test(`the origin ${origin} is ${isForeign ? 'refused' : 'accepted'}`, () => {
    assert.is(isRefused({ Host: HOST, Origin: origin }), isForeign)
  })
}

for (const [site, isForeign] of [
  ['none', false],
  ['same-origin', false],
  ['same-site', true],
  ['cross-site', true],
] as const) {
  test(`Sec-Fetch-Site: ${site} is ${isForeign ? 'refused' : 'accepted'}`, () => {
    assert.is(isRefused({ Host: HOST, 'Sec-Fetch-Site': site }), isForeign)
  })
}

test('the refusal names the setting, but not to a page whose origin can never be allowed', () => {
  assert.match(
    refusal({ Host: HOST, Origin: 'https://evil.example' }) ?? '',
    /add it to ROOM_ALLOWED_ORIGINS/,
  )
  const withoutOrigin = refusal({ Host: HOST, Origin: 'null' }) ?? ''
  assert.match(withoutOrigin, /without an origin .* cannot be allowed/)
  assert.not.match(withoutOrigin, /ROOM_ALLOWED_ORIGINS/)
})

test('an allowed origin may be cross-site', () => {
  const headers = { Host: HOST, Origin: 'https://launcher.example.com', 'Sec-Fetch-Site': 'cross-site' }
  assert.not.ok(isRefused(headers))
})
