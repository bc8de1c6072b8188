import * as assert from 'uvu/assert'
import { isPunchable, punchable } from '#core/easytier/holePunching/sockets/punchable'
import { RpcRefusal } from '#core/easytier/rpc/rpcRefusal'
import { suite } from '#support/runner/suite'

const test = suite('easytier: where punching datagrams may be sent')

test('only an address of a single machine is punchable, at a port from 1024', () => {
  const isAllowed = (address: string, port = 5000) => isPunchable({ address, port })
  for (const address of ['1.2.3.4', '10.0.0.1', '192.168.1.1', '223.255.255.1', '2a0e::1', 'fd00::1'])
    assert.is(isAllowed(address), true)
  for (const address of [
    '0.1.2.3',
    '127.1.2.3',
    '169.254.9.9',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'ff02::1',
    '::ffff:1.2.3.4',
    'x',
  ])
    assert.is(isAllowed(address), false, address)
  assert.is(isAllowed('1.2.3.4', 1023), false)
  assert.is(isAllowed('1.2.3.4', 1024), true)
  assert.is(isAllowed('1.2.3.4', 65_536), false)
})

test('anything else is refused with a text for the member', () => {
  assert.equal(punchable({ address: '1.2.3.4', port: 5000 }), { address: '1.2.3.4', port: 5000 })
  for (const endpoint of [undefined, { address: '127.0.0.1', port: 5000 }, { address: '1.2.3.4', port: 53 }])
    assert.throws(
      () => punchable(endpoint),
      (error: unknown) => error instanceof RpcRefusal,
    )
})

test.run()
