import { phoneOfRequest } from '#core/media/trial/phoneOfRequest'
import { assert, suite } from '#support/runner/suite'

const test = suite('the phone of a request')

const ios =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const agents: readonly (readonly [agent: string, model: string | undefined, system: string | undefined])[] = [
  [ios, 'iPhone', 'iOS 17.5.1'],
  ['Mozilla/5.0 (Linux; Android 13; SM-S901B) AppleWebKit/537.36', 'SM-S901B', 'Android 13'],
  [
    'Mozilla/5.0 (Linux; U; Android 12; zh-cn; M2012K11AC Build/SKQ1.211006.001) MiuiBrowser/16.4',
    'M2012K11AC',
    'Android 12',
  ],
  ['Mozilla/5.0 (Linux; Android 14; PHZ110 Build/TP1A; wv) Version/4.0', 'PHZ110', 'Android 14'],
  // Chrome tells neither.
  ['Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile', undefined, undefined],
  ['Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0', undefined, 'Android 14'],
  ['Mozilla/5.0 (Phone; OpenHarmony 5.0) AppleWebKit/537.36', undefined, 'OpenHarmony 5.0'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36', undefined, undefined],
  ['', undefined, undefined],
  [`Mozilla/5.0 (Linux; Android 13; ${'x'.repeat(500)})`, 'x'.repeat(80), 'Android 13'],
]
for (const [agent, model, system] of agents) {
  test(`by its user agent: ${agent.slice(0, 60)}`, () => {
    assert.equal(phoneOfRequest(new Headers({ 'User-Agent': agent })), { model, system })
  })
}

test('client hints go before the user agent', () => {
  const headers = new Headers({
    'User-Agent': 'Mozilla/5.0 (Linux; Android 10; K)',
    'Sec-CH-UA-Model': '"Pixel 8 Pro"',
    'Sec-CH-UA-Platform': '"Android"',
    'Sec-CH-UA-Platform-Version': '"15.0.0"',
  })
  assert.equal(phoneOfRequest(headers), { model: 'Pixel 8 Pro', system: 'Android 15' })
})

test('empty and broken hints count for nothing', () => {
  const headers = new Headers({ 'User-Agent': ios, 'Sec-CH-UA-Model': '""', 'Sec-CH-UA-Platform': 'Android' })
  assert.equal(phoneOfRequest(headers), { model: 'iPhone', system: 'iOS 17.5.1' })
})
