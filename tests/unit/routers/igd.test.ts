import {
  encodeCall,
  encodeSearches,
  readElement,
  readSearchAnswer,
  readServices,
} from '#internal/routers/igd'
import { assert, suite } from '#support/runner/suite'

const test = suite('UPnP Internet Gateway Device')

const bytes = (text: string) => new TextEncoder().encode(text)
const answer = (location: string, st = 'urn:schemas-upnp-org:device:InternetGatewayDevice:1') =>
  bytes(`HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=120\r\nST: ${st}\r\nLocation: ${location}\r\n\r\n`)
const AT = 'http://192.168.1.1:5000/rootDesc.xml'
const description = (...services: readonly (readonly [string, string])[]) =>
  `<root><device><serviceList>${services
    .map(
      ([type, url]) =>
        `<service><serviceType>urn:schemas-upnp-org:service:${type}</serviceType><controlURL>${url}</controlURL></service>`,
    )
    .join('\n')}</serviceList></device></root>`

test('both versions of the device are searched', () => {
  const texts = encodeSearches().map((one) => new TextDecoder().decode(one))
  for (const [at, version] of ['1', '2'].entries()) {
    assert.match(texts[at] ?? '', /^M-SEARCH \* HTTP\/1\.1\r\nHOST: 239\.255\.255\.250:1900\r\n/)
    assert.match(
      texts[at] ?? '',
      new RegExp(`ST: urn:schemas-upnp-org:device:InternetGatewayDevice:${version}\r\n`),
    )
    assert.match(texts[at] ?? '', /\r\n\r\n$/)
  }
})

test('a description is read from the router that has answered, and from nowhere else', () => {
  assert.is(readSearchAnswer(answer(AT), '192.168.1.1'), AT)
  for (const [datagram, from] of [
    [answer(AT), '192.168.1.2'],
    [answer('https://192.168.1.1/'), '192.168.1.1'],
    [answer('nonsense'), '192.168.1.1'],
    [answer(AT, 'upnp:rootdevice'), '192.168.1.1'],
    [bytes('NOTIFY * HTTP/1.1\r\n\r\n'), '192.168.1.1'],
  ] as const) {
    assert.is(readSearchAnswer(datagram, from), undefined)
  }
})

test('services that open ports are found, by an absolute or a relative address of the same machine', () => {
  const text = description(
    ['Layer3Forwarding:1', '/l3f'],
    ['WANIPConnection:1', '/ctl/IPConn'],
    ['WANIPConnection:2', 'http://192.168.1.1:5000/two'],
    ['WANPPPConnection:1', 'ppp'],
    ['WANIPConnection:1', 'http://10.0.0.9/elsewhere'],
  )
  assert.equal(
    readServices(text, AT).map(({ url }) => url),
    ['http://192.168.1.1:5000/ctl/IPConn', 'http://192.168.1.1:5000/two', 'http://192.168.1.1:5000/ppp'],
  )
  assert.equal(readServices('<root/>', AT), [])
})

test('a description of two megabytes that never ends what it begins is read at once', () => {
  for (const part of ['<service>', '<service><controlURL '])
    assert.equal(readServices(part.repeat(2_000_000 / part.length), AT), [])
  assert.is(readElement('<errorCode '.repeat(200_000), 'errorCode'), undefined)
})

test('a call names its action in the header and holds its values', () => {
  const { action, body } = encodeCall('urn:x:service:WANIPConnection:1', 'DeletePortMapping', {
    NewRemoteHost: '',
    NewExternalPort: 4000,
  })
  assert.is(action, '"urn:x:service:WANIPConnection:1#DeletePortMapping"')
  assert.match(
    body,
    '<u:DeletePortMapping xmlns:u="urn:x:service:WANIPConnection:1"><NewRemoteHost></NewRemoteHost><NewExternalPort>4000</NewExternalPort></u:DeletePortMapping>',
  )
})

test('elements are read with and without a prefix', () => {
  assert.is(readElement('<a><x:code id="1"> 718 </x:code></a>', 'code'), '718')
  assert.is(readElement('<code>7</code>', 'code'), '7')
  assert.is(readElement('<codes>7</codes>', 'code'), undefined)
})

test.run()
