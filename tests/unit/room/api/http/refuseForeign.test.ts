import { isNavigation, refuseForeign, refuseLed } from '#internal/room/api/http/refuseForeign'
import { assert, suite } from '../../../../support/runner/suite'
import { refusalOf } from '../../../../support/values/failures'

// Who is refused in whole requests: tests/contract/room/accessCases.ts.
const test = suite('requests of foreign pages')

const ALLOWED = ['https://launcher.example.com', 'tauri://localhost']

function refusal(headers: Record<string, string>, rule = refuseForeign): string | undefined {
  return refusalOf(() => rule(new Headers(headers), ALLOWED))
}

function isRefused(headers: Record<string, string>, rule = refuseForeign): boolean {
  return refusal(headers, rule)?.startsWith('forbidden: ') ?? false
}

const HOST = '127.0.0.1:5062'

test('the refusal names the setting, but not to a page whose origin can never be allowed', () => {
  assert.match(
    refusal({ Host: HOST, Origin: 'https://evil.example' }) ?? '',
    /add it to ROOM_ALLOWED_ORIGINS/,
  )
  const withoutOrigin = refusal({ Host: HOST, Origin: 'null' }) ?? ''
  assert.match(withoutOrigin, /without an origin .* cannot be allowed/)
  assert.not.match(withoutOrigin, /ROOM_ALLOWED_ORIGINS/)
})

/** As the programs and browsers send them; `Host` and what tells nothing is left out. */
const PROGRAMS: Readonly<Record<string, Record<string, string>>> = {
  curl: { Accept: '*/*', 'User-Agent': 'curl/8.5.0' },
  'Java, such as HMCL': { Accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2' },
  '.NET': {},
  Python: { Accept: '*/*', 'Accept-Encoding': 'identity' },
  'fetch of Node': { Accept: '*/*', 'Sec-Fetch-Mode': 'cors' },
  'net.request of Electron': fetchMetadata('none', 'no-cors', 'empty'),
  'fetch of the own page': fetchMetadata('same-origin', 'cors', 'empty'),
  'fetch of an allowed page': {
    ...fetchMetadata('cross-site', 'cors', 'empty'),
    Origin: 'tauri://localhost',
  },
  'fetch of an extension': fetchMetadata('none', 'cors', 'empty'),
  'a WebSocket': fetchMetadata('same-origin', 'websocket', 'websocket'),
  'XMLHttpRequest of an old WebView': { Accept: '*/*', 'X-Requested-With': 'com.example.launcher' },
}

const LED: Readonly<Record<string, Record<string, string>>> = {
  'a typed address': { ...fetchMetadata('none', 'navigate', 'document'), 'Sec-Fetch-User': '?1' },
  'a redirect': fetchMetadata('none', 'navigate', 'document'),
  'a link of the own page': fetchMetadata('same-origin', 'navigate', 'document'),
  'a form of the own page': {
    ...fetchMetadata('same-origin', 'navigate', 'document'),
    Origin: `http://${HOST}`,
  },
  'a frame': fetchMetadata('same-origin', 'navigate', 'iframe'),
  'an object': fetchMetadata('same-origin', 'no-cors', 'object'),
  'an embedded document': fetchMetadata('same-origin', 'no-cors', 'embed'),
  'a page that is drawn in advance': {
    ...fetchMetadata('none', 'navigate', 'document'),
    'Sec-Purpose': 'prefetch;prerender',
  },
  'a prefetch': { ...fetchMetadata('same-origin', 'no-cors', 'empty'), 'Sec-Purpose': 'prefetch' },
  'a prefetch of an old Chrome': { Purpose: 'prefetch' },
  'a prefetch of an old Firefox': { 'X-Moz': 'prefetch' },
  'a preview of Safari': { 'X-Purpose': 'preview' },
  'a link in a browser without fetch metadata': {
    Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Upgrade-Insecure-Requests': '1',
  },
}

function fetchMetadata(site: string, mode: string, destination: string): Record<string, string> {
  return { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode, 'Sec-Fetch-Dest': destination }
}

for (const [name, headers] of Object.entries(PROGRAMS)) {
  test(`${name} may give orders`, () => {
    const sent = { Host: HOST, ...headers }
    assert.equal(
      [isNavigation(new Headers(sent)), isRefused(sent), isRefused(sent, refuseLed)],
      [false, false, false],
    )
  })
}

for (const [name, headers] of Object.entries(LED)) {
  test(`${name} gives no order`, () => {
    const sent = { Host: HOST, ...headers }
    assert.equal([isNavigation(new Headers(sent)), isRefused(sent, refuseLed)], [true, true])
  })
}

test('beside an Origin the Referer counts for nothing', () => {
  const headers = { Host: HOST, Origin: 'tauri://localhost', Referer: 'http://tauri.localhost/' }
  assert.not.ok(isRefused(headers, refuseLed))
})

test.run()
