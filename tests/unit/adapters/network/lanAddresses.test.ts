import * as assert from 'uvu/assert'
import { lanAddresses } from '#core/adapters/network/lanAddresses'
import { ipv4 } from '#support/network/interfaceInfo'
import { suite } from '#support/runner/suite'

const test = suite('addresses in private networks')

test('the home network is first, then tunnels and networks of programs', () => {
  const all = {
    docker0: [ipv4('172.17.0.1')],
    tun0: [ipv4('10.8.0.2')],
    wlan0: [ipv4('192.168.1.5')],
  }
  assert.equal(lanAddresses(all), ['192.168.1.5', '10.8.0.2', '172.17.0.1'])
})

test('neither loopback nor an address of the internet is one', () => {
  assert.equal(lanAddresses({ lo: [ipv4('127.0.0.1', true)], eth0: [ipv4('203.0.113.7')] }), [])
  assert.equal(lanAddresses({ lo: [ipv4('127.0.0.1', true)] }), [])
})

test.run()
