import { encodeListenerList, type OwnReach, readListeners } from '#internal/easytier/dialing/listenerList'
import { parseIpv4, parseIpv6 } from '#internal/easytier/wire/addresses'
import { rpcMethods } from '#internal/easytier/wire/messages'
import { assert, suite } from '#support/runner/suite'

const test = suite('what members tell of their listeners')

const { response } = rpcMethods.getIpList
const OWN: OwnReach = {
  ports: { tcp: 11, udp: 12 },
  publicIpv4: '20.0.0.1',
  publicIpv6: undefined,
  publicSocket: undefined,
  mappings: [],
}
type Told = Partial<OwnReach> & { readonly addresses?: readonly string[] }
const told = ({ addresses = ['10.0.0.1'], ...own }: Told) =>
  response.decode(encodeListenerList({ ...OWN, ...own }, addresses))
const urls = (own: Told) => told(own)?.listeners.map(({ url }) => url)

test('our listeners, addresses and public address, or nothing', () => {
  assert.equal(urls({}), ['udp://0.0.0.0:12', 'tcp://0.0.0.0:11'])
  const ipv4s = told({})?.interfaceIpv4s.map(({ addr }) => addr)
  assert.equal(ipv4s, [0x0a000001])
  assert.equal([told({})?.publicIpv4?.addr, told({})?.publicIpv6], [0x14000001, undefined])
  const none = told({ ports: undefined, publicIpv4: undefined })
  assert.equal([none?.listeners, none?.interfaceIpv4s, none?.publicIpv4], [[], [], undefined])
})

test('IPv6 is told where there is an address that others may reach, the public one apart', () => {
  const addresses = ['10.0.0.1', 'fd00::1', '2a0e::1', 'fe80::1', '::1']
  assert.equal(urls({ addresses }), [
    'udp://0.0.0.0:12',
    'tcp://0.0.0.0:11',
    'udp://[::]:12',
    'tcp://[::]:11',
  ])
  assert.is(told({ addresses })?.interfaceIpv6s.length, 2)
  assert.is(told({ addresses })?.publicIpv6?.part1, 0x2a0e0000)
  assert.equal(urls({ addresses: ['10.0.0.1', 'fe80::1', '::1'] }), ['udp://0.0.0.0:12', 'tcp://0.0.0.0:11'])
})

test('the public address of IPv6 is the one that servers see, where they are asked', () => {
  const own = { addresses: ['2a0e::1', '2a0e::2'], publicIpv6: { address: '2a0e::2', port: 12 } }
  assert.is(told(own)?.publicIpv6?.part4, 2)
  assert.is(told({ ...own, publicIpv6: undefined })?.publicIpv6?.part4, 1)
})

test('ports of the router are listeners like others', () => {
  const mapping = {
    method: 'upnp',
    router: 'http://10.0.0.254/',
    service: 'x',
    transport: 'udp',
    localPort: 12,
    external: { address: '20.0.0.1', port: 4000 },
  } as const
  assert.is(urls({ mappings: [mapping] })?.at(-1), 'udp://20.0.0.1:4000')
})

const shown = (bytes: Uint8Array) =>
  readListeners(bytes).map(({ scheme, host, port }) => `${scheme} ${host} ${port}`)

test('0.0.0.0 stands for each address of the member, the public one first; nothing is listed twice', () => {
  const hosts = (list: readonly string[]) => shown(listOf(list, ['10.0.0.2', '20.0.0.2'], '20.0.0.2'))
  assert.equal(hosts(['tcp://0.0.0.0:1']), ['tcp 20.0.0.2 1', 'tcp 10.0.0.2 1'])
  assert.equal(hosts(['tcp://10.0.0.2:1', 'tcp://10.0.0.2:1', 'udp://10.0.0.2:1']), [
    'tcp 10.0.0.2 1',
    'udp 10.0.0.2 1',
  ])
  assert.equal(hosts(['ws://1.1.1.1', 'wss://1.1.1.1', 'x']), [])
})

for (const every of ['[::]', '[0::0]', '[0:0:0:0:0:0:0:0]']) {
  test(`${every} stands for each IPv6 address that was told, and is never an address itself`, () => {
    assert.equal(shown(listOf([`udp://${every}:5`], ['10.0.0.2', '2a0e::7'])), ['udp 2a0e::7 5'])
    assert.equal(shown(listOf([`udp://${every}:5`], ['10.0.0.2'])), [])
  })
}

test('sixteen listeners and sixteen addresses of an answer count', () => {
  const ports = Array.from({ length: 17 }, (_, at) => `tcp://20.0.0.2:${at + 1}`)
  assert.is(readListeners(listOf(ports)).at(-1)?.port, 16)
  const addresses = Array.from({ length: 17 }, (_, at) => `10.0.0.${at + 1}`)
  assert.is(readListeners(listOf(['tcp://0.0.0.0:1'], addresses)).at(-1)?.host, '10.0.0.16')
  const six = Array.from({ length: 17 }, (_, at) => `2a0e::${(at + 1).toString(16)}`)
  assert.is(readListeners(listOf(['tcp://[::]:1'], six)).at(-1)?.host, '2a0e::10')
  assert.equal(readListeners(Uint8Array.of(0xff)), [])
})

function listOf(list: readonly string[], addresses: readonly string[] = [], publicAddress?: string) {
  const ipv4 = (address: string) => ({ addr: parseIpv4(address) ?? 0 })
  return response.encode({
    listeners: list.map((url) => ({ url })),
    interfaceIpv4s: addresses.filter((one) => !one.includes(':')).map(ipv4),
    interfaceIpv6s: addresses
      .filter((one) => one.includes(':'))
      .map((one) => {
        const [part1, part2, part3, part4] = parseIpv6(one) ?? [0, 0, 0, 0]
        return { part1, part2, part3, part4 }
      }),
    ...(publicAddress === undefined ? {} : { publicIpv4: ipv4(publicAddress) }),
  })
}

test.run()
