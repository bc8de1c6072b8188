import { decodeNatPmp, encodeAddressRequest, encodeMapRequest } from '#internal/routers/natPmp'
import { assert, suite } from '#support/runner/suite'

const test = suite('NAT-PMP (RFC 6886)')

const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'))

test('requests have the layout of the RFC', () => {
  assert.equal(encodeAddressRequest(), hex('00 00'))
  assert.equal(
    encodeMapRequest({ transport: 'udp', localPort: 0x1234, externalPort: 0x5678, lifetimeS: 600 }),
    hex('00 01 0000 1234 5678 00000258'),
  )
  assert.equal(
    encodeMapRequest({ transport: 'tcp', localPort: 0x1234, externalPort: 0, lifetimeS: 0 }),
    hex('00 02 0000 1234 0000 00000000'),
  )
})

test('answers are read', () => {
  assert.equal(decodeNatPmp(hex('00 80 0000 00000001 cb007107')), {
    kind: 'address',
    address: '203.0.113.7',
  })
  assert.equal(decodeNatPmp(hex('00 81 0000 00000001 1234 5678 00000258')), {
    kind: 'mapping',
    transport: 'udp',
    localPort: 0x1234,
    externalPort: 0x5678,
  })
  assert.equal(decodeNatPmp(hex('00 82 0002 00000001')), { kind: 'refusal', code: 2 })
})

test('anything else is undefined', () => {
  const cut = ['', '00', '00 00', '00 80 0000 00000001']
  for (const bytes of [...cut, '01 80 0000 00000001 cb007107', '00 83 0000 00000001 0000'])
    assert.is(decodeNatPmp(hex(bytes)), undefined)
})

test.run()
