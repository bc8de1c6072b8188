import { ServiceError } from '#core/errors'
import { clientAddress, clientSignal } from '#core/http/client'
import { assert, suite } from '#support/runner/suite'

const test = suite('the signal of a request')

function requestWith(controller: AbortController): AbortSignal {
  return clientSignal(new Request('http://media.test', { signal: controller.signal }))
}

test('does not abort by itself', () => {
  assert.not.ok(requestWith(new AbortController()).aborted)
})

test('passes on an error as it is', () => {
  const controller = new AbortController()
  const signal = requestWith(controller)
  const reason = new ServiceError('timeout', 'late')
  controller.abort(reason)
  assert.ok(signal.aborted)
  assert.is(signal.reason, reason)
})

test('makes an error of any other reason', () => {
  for (const reason of ['gone', 7, null]) {
    const controller = new AbortController()
    const signal = requestWith(controller)
    controller.abort(reason)
    assert.instance(signal.reason, ServiceError)
    assert.is(signal.reason.code, 'unavailable')
    assert.is(signal.reason.cause, reason)
  }
})

test('is aborted from the start when the request is', () => {
  const controller = new AbortController()
  controller.abort('gone')
  assert.is(requestWith(controller).reason.cause, 'gone')
})

const table: readonly (readonly [
  title: string,
  forwarded: string | undefined,
  remote: string | undefined,
  trustProxy: boolean,
  client: string,
])[] = [
  ['an IPv4 address', undefined, '203.0.113.5', false, '203.0.113.5'],
  ['an IPv4 address mapped into IPv6', undefined, '::ffff:203.0.113.5', false, '203.0.113.5'],
  ['an IPv6 address is its /64', undefined, '2001:db8:1:2:aaaa::1', false, '2001:db8:1:2::/64'],
  ['loopback', undefined, '::1', false, '0:0:0:0::/64'],
  ['a header that is not trusted', '198.51.100.1', '203.0.113.5', false, '203.0.113.5'],
  [
    'the entry of the proxy, not that of the client',
    '1.2.3.4, 198.51.100.1',
    '10.0.0.1',
    true,
    '198.51.100.1',
  ],
  ['a trusted proxy without the header', undefined, '10.0.0.1', true, '10.0.0.1'],
  ['an entry that is no address', 'unknown', '10.0.0.1', true, '10.0.0.1'],
  ['a host that does not tell', undefined, undefined, true, 'unknown'],
]

for (const [title, forwarded, remoteAddress, trustProxy, client] of table) {
  test(title, () => {
    const headers = new Headers(forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded })
    assert.is(clientAddress({ headers, remoteAddress }, { trustProxy }), client)
  })
}

test.run()
