import { kcpConnData } from '#internal/easytier/wire/messages'
import {
  formatEndpoint,
  formatNodeUrl,
  fromSocketAddr,
  parseNodeUrl,
  toSocketAddr,
} from '#internal/easytier/wire/socketAddress'
import { hexOf, unhex } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: endpoints and node addresses')

for (const endpoint of [
  { address: '10.144.144.1', port: 13448 },
  { address: '0.0.0.0', port: 0 },
  { address: '2001:db8::1', port: 65535 },
])
  test(`${formatEndpoint(endpoint)} comes back from a message`, () => {
    const bytes = kcpConnData.encode({ dst: toSocketAddr(endpoint) })
    assert.equal(fromSocketAddr(kcpConnData.decode(bytes)?.dst), endpoint)
  })

test('the bytes of an IPv4 endpoint are those of the real program', () => {
  const bytes = kcpConnData.encode({ dst: toSocketAddr({ address: '10.144.144.1', port: 13448 }) })
  assert.is(hexOf(bytes), '220a0a050881a0c254188869')
})

test('what holds no address, or no port, is none', () => {
  assert.is(fromSocketAddr(undefined), undefined)
  assert.is(fromSocketAddr(kcpConnData.decode(unhex('22021801'))?.dst), undefined)
  assert.is(fromSocketAddr(kcpConnData.decode(unhex('22080a02080118808004'))?.dst), undefined)
  assert.throws(() => toSocketAddr({ address: 'localhost', port: 1 }), /localhost/)
})

test('addresses of nodes are read with their defaults', () => {
  const read = (text: string) => {
    const url = parseNodeUrl(text)
    return url && [url.scheme, url.host, url.port, url.path]
  }
  assert.equal(read('tcp://public.easytier.top:11010'), ['tcp', 'public.easytier.top', 11010, '/'])
  assert.equal(read('udp://0.0.0.0'), ['udp', '0.0.0.0', 11010, '/'])
  assert.equal(read(' TCP://1.2.3.4:5/ '), ['tcp', '1.2.3.4', 5, '/'])
  assert.equal(read('ws://node.example'), ['ws', 'node.example', 80, '/'])
  assert.equal(read('wss://node.example/path?x=1'), ['wss', 'node.example', 443, '/path?x=1'])
  assert.equal(read('tcp://[2001:db8::1]:11010'), ['tcp', '2001:db8::1', 11010, '/'])
  const badSchemes = ['x', 'ring://1', 'http://x', 'wg://a:5']
  const badHosts = ['', ':5', '[x]:5', 'a b:5', 'user@a:5', '2001:db8::1:5'].map((host) => `tcp://${host}`)
  for (const text of [...badSchemes, ...badHosts, 'tcp://a:0', 'tcp://a:65536'])
    assert.is(parseNodeUrl(text), undefined, text)
})

test('addresses of nodes are written as they were read', () => {
  for (const text of ['tcp://1.2.3.4:5', 'udp://[::1]:11010', 'wss://node.example:443/path'])
    assert.is(formatNodeUrl(parseNodeUrl(text) ?? { scheme: 'tcp', host: '', port: 1, path: '' }), text)
})

test.run()
