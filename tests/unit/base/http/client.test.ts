import { clientAddress } from '#internal/base/http/client'
import { assert, suite } from '#support/runner/suite'

const test = suite('the address of a client')

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
