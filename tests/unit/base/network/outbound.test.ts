import { type AddressKind, isInSubnet, kindOfAddress } from '#internal/base/network/addressRanges'
import { type Origin, type OutboundScheme, type OwnMachine, refusalOf } from '#internal/base/network/outbound'
import { assert, suite } from '#support/runner/suite'

const test = suite('which machines are asked')

/** A machine of a home with two networks. */
const machine: OwnMachine = {
  isOwnAddress: (address) => ['192.168.1.7', '198.51.100.7', 'fd00:1::7', '2001:470::7'].includes(address),
  isOwnName: (name) => name === 'my-pc',
  isOnOwnSubnet: (address) => isInSubnet(address, '192.168.1.7/24') || isInSubnet(address, '169.254.3.7/16'),
}

const KINDS: Readonly<Record<AddressKind, string>> = {
  public: `1.1.1.1 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
    172.15.255.255 172.32.0.0 192.0.1.0 192.0.2.1 192.167.255.255 192.169.0.0 198.18.0.1 198.51.100.1 203.0.113.5 223.255.255.255
    2001:470::1 2a00:: 3fff:ffff::1 64:ff9b::101:101 64:ff9b::1.1.1.1 ::ffff:1.1.1.1 2002:101:101::1`,
  private: `10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255
    fc00::1 fd00:ec2::254 fdff::1 ::ffff:10.0.0.1 ::ffff:c0a8:101 64:ff9b::10.0.0.1 64:ff9b::c0a8:101 2002:c0a8:101::1 2002:a00:1::
    ::192.168.1.1 ::ffff:0:192.168.1.1 2001:470::5efe:192.168.1.1 2001:470::200:5efe:10.0.0.1`,
  loopback: `127.0.0.0 127.0.0.1 127.1.2.3 127.255.255.255 ::1 0:0:0:0:0:0:0:1 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:0:127.0.0.1
    ::127.0.0.1 64:ff9b::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::7f00:1 64:ff9b:1:7f00:1:: 2002:7f00:1::1 2001:0:7f00:1::
    2001:0:101:101:0:0:80ff:fffe fe80::5efe:127.0.0.1 2001:470::5efe:7f00:1`,
  unspecified: '0.0.0.0 0.0.0.1 0.255.255.255 :: ::ffff:0.0.0.0 64:ff9b:: 2002::',
  'link-local': `169.254.0.0 169.254.169.254 169.254.255.255 fe80::1 FE80::1 fe80::1%eth0 febf::1 ::ffff:169.254.169.254
    64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::`,
  multicast: '224.0.0.1 239.255.255.250 ff00:: ff02::1 ffff::1 ::ffff:224.0.0.1 2002:e000:1::',
  reserved:
    '240.0.0.0 255.255.255.255 192.0.0.192 fec0::1 100::1 4000::1 ::ffff:255.255.255.255 64:ff9b::ffff:ffff 1::1',
}

for (const [kind, addresses] of Object.entries(KINDS))
  test(`addresses that are ${kind}`, () => {
    for (const address of wordsOf(addresses)) assert.is(kindOfAddress(address), kind, address)
  })

test('what is no address in its usual form is of no kind', () => {
  const others = 'localhost my-pc 127.1 2130706433 0x7f.0.0.1 0177.0.0.1 1.2.3 1.2.3.256 [::1] ::g 1.2.3.4.'
  for (const text of ['', ...wordsOf(others)]) assert.is(kindOfAddress(text), undefined, text)
})

const SCHEMES: readonly OutboundScheme[] = ['tcp', 'udp', 'ws', 'wss', 'http', 'https']

/** Why each scheme may not lead to an address; `-` where it may. */
function reasons(
  origin: Origin,
  address: string,
  more: { host?: string; path?: string; port?: number } = {},
): string {
  const { host = address, path = '/', port = 11_010 } = more
  const all = SCHEMES.map(
    (scheme) => refusalOf({ origin, scheme, host, port, path, address }, machine)?.reason ?? '-',
  )
  return new Set(all).size === 1 ? (all[0] ?? '') : all.join(' ')
}

test('others lead to this machine by no scheme, and to no address that is of no other single machine', () => {
  for (const kind of ['loopback', 'unspecified'] as const)
    for (const address of wordsOf(KINDS[kind])) assert.is(reasons('others', address), 'this-machine', address)
  for (const kind of ['link-local', 'multicast', 'reserved'] as const)
    for (const address of wordsOf(KINDS[kind])) assert.is(reasons('others', address), 'no-machine', address)
  for (const host of ['name.test', 'localhost', 'my-pc'])
    assert.is(reasons('others', '127.0.0.1', { host }), 'this-machine', host)
})

test('others lead into private networks by tcp and udp alone, and to the internet by all', () => {
  for (const address of wordsOf(KINDS.private))
    assert.is(reasons('others', address), '- - private private private private', address)
  for (const address of wordsOf(KINDS.public)) assert.is(reasons('others', address), '-', address)
})

test('by web requests others do not lead to an address of this machine in its networks', () => {
  const expected = '- - this-machine this-machine this-machine this-machine'
  for (const address of ['192.168.1.7', '198.51.100.7', 'fd00:1::7', '2001:470::7'])
    assert.is(reasons('others', address), expected, address)
})

test('a ws address of others has no path, no query and no user name', () => {
  for (const path of ['/cgi-bin/reboot?now=1', '/?x', '/x', '//', '/.'])
    assert.is(reasons('others', '1.1.1.1', { path }), '- - path path - -', path)
  const web = { scheme: 'wss', host: '1.1.1.1', port: 443, path: '', address: '1.1.1.1' } as const
  assert.is(refusalOf({ origin: 'others', ...web }, machine), undefined)
  assert.is(refusalOf({ origin: 'others', ...web, hasUserInfo: true }, machine)?.reason, 'user-info')
})

test('what was typed as a number, as localhost or as the own name works', () => {
  for (const address of wordsOf(Object.values(KINDS).join(' ')))
    assert.is(reasons('typed', address), '-', address)
  for (const host of ['localhost', 'LOCALHOST', 'localhost.', 'node.localhost', 'my-pc'])
    assert.is(reasons('typed', '127.0.0.1', { host, path: '/x?y' }), '-', host)
})

test('another name that was typed leads to a network of its owner, and never to this machine', () => {
  const host = 'name.test'
  for (const address of ['10.0.0.1', '192.168.1.7', '1.1.1.1', 'fd00::1'])
    assert.is(reasons('typed', address, { host, path: '/x' }), '-', address)
  for (const address of ['127.0.0.1', '::1', '0.0.0.0', '::ffff:127.0.0.1', '64:ff9b::7f00:1'])
    assert.is(reasons('typed', address, { host }), 'this-machine', address)
  for (const address of ['169.254.169.254', 'fe80::1', '224.0.0.1', '255.255.255.255'])
    assert.is(reasons('typed', address, { host }), 'no-machine', address)
  for (const name of ['notlocalhost', 'localhost.example.com', 'my-pc.example.com'])
    assert.is(reasons('typed', '127.0.0.1', { host: name }), 'this-machine', name)
})

test('a member is a single machine on the internet or in a network of this machine, and on no port of services', () => {
  for (const address of ['1.1.1.1', '192.168.1.9', '2001:470::1'])
    assert.is(reasons('member', address), '-', address)
  for (const address of ['192.168.2.9', '10.0.0.1', '172.16.0.1'])
    assert.is(reasons('member', address), 'elsewhere', address)
  for (const address of ['127.0.0.1', '::1', '0.0.0.0', '169.254.169.254', 'fe80::1', '224.0.0.1'])
    assert.is(reasons('member', address), 'no-machine', address)
  assert.is(reasons('member', '1.1.1.1', { host: 'name.test' }), 'no-machine')
  assert.is(reasons('member', '1.1.1.1', { port: 1023 }), 'port')
})

test('a machine of the LAN announces itself where this machine is, too, and on no port of services', () => {
  for (const address of ['192.168.1.9', '169.254.3.9', '192.168.1.7', '127.0.0.1'])
    assert.is(reasons('announcer', address), '-', address)
  for (const address of ['192.168.2.9', '10.0.0.1', '1.1.1.1', 'fe80::1', '224.0.0.1', '0.0.0.0'])
    assert.is.not(reasons('announcer', address), '-', address)
  assert.is(reasons('announcer', '192.168.1.9', { port: 1023 }), 'port')
})

test('a router answers for itself, by http, in a network of this machine', () => {
  assert.is(
    reasons('router', '192.168.1.1', { path: '/desc.xml?x' }),
    'no-machine no-machine no-machine no-machine - no-machine',
  )
  const byHttp = (address: string, host = address) =>
    refusalOf({ origin: 'router', scheme: 'http', host, port: 5000, path: '/d', address }, machine)?.reason
  assert.equal(
    ['127.0.0.1', '192.168.1.7', '10.0.0.1', '169.254.3.1', '1.1.1.1'].map((address) => byHttp(address)),
    ['this-machine', 'this-machine', 'elsewhere', 'no-machine', 'elsewhere'],
  )
  assert.is(byHttp('192.168.1.1', 'router.test'), 'no-machine')
})

test('a refusal says what was refused, and what to do', () => {
  const refusal = refusalOf(
    { origin: 'others', scheme: 'ws', host: 'x.test', port: 80, path: '/', address: '192.168.1.1' },
    machine,
  )
  assert.is(
    refusal?.message,
    'not asked: it leads by ws to 192.168.1.1 in a private network, where others may name tcp and udp only. Have it corrected, or name a shared node yourself',
  )
})

function wordsOf(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

test.run()
