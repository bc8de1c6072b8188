import { isIPv4, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { formatIpv4, formatIpv6, parseIpv4, parseIpv6 } from '#internal/easytier/wire/addresses'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'

const test = suite('easytier: addresses')

test('IPv4 addresses are read and written', () => {
  assert.equal([parseIpv4('10.144.144.1'), formatIpv4(0x0a909001)], [0x0a909001, '10.144.144.1'])
  assert.is(parseIpv4('255.255.255.255'), 0xffffffff)
  assert.is(formatIpv4(0xffffffff), '255.255.255.255')
  const badCounts = ['', '1.2.3', '1.2.3.4.5', '::1']
  const badNumbers = ['1.2.3.256', '01.2.3.4', '1.2.3.-4', '1.2.3.4 ', '1.2.3.0x4']
  for (const text of [...badCounts, ...badNumbers]) assert.is(parseIpv4(text), undefined, text)
})

test('IPv6 addresses are written in their shortest form', () => {
  const shortest: Readonly<Record<string, string>> = {
    '::': '::',
    '::1': '::1',
    '1::': '1::',
    '2001:db8:0:0:1:0:0:1': '2001:db8::1:0:0:1',
    '2001:DB8:0:1:1:1:1:1': '2001:db8:0:1:1:1:1:1',
    '2001:db8:0:0:0:0:2:1': '2001:db8::2:1',
    'fe80:0:0:1:0:0:0:1': 'fe80:0:0:1::1',
    '::ffff:192.0.2.1': '::ffff:c000:201',
    '0:0:0:0:0:0:0:0': '::',
    '1:2:3:4:5:6:7::': '1:2:3:4:5:6:7:0',
  }
  for (const [text, short] of Object.entries(shortest)) {
    const words = parseIpv6(text)
    assert.ok(words, text)
    assert.is(formatIpv6(words), short)
  }
  const badCounts = ['', ':', ':::', '1:2', '1::2::3', '1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7:8::', '1.2.3.4']
  const badNumbers = ['12345::', '::1%lo', 'g::', '::1.2.3.256']
  for (const text of [...badCounts, ...badNumbers]) assert.is(parseIpv6(text), undefined, text)
})

test('all addresses come back, and are what node takes for addresses', () => {
  const word = fc.integer({ min: 0, max: 0xffffffff })
  const sparse = fc.oneof(fc.constant(0), fc.constant(0xffff0000), word)
  assertProperty(
    fc.property(sparse, sparse, sparse, sparse, (a, b, c, d) => {
      const text = formatIpv6([a, b, c, d])
      assert.ok(isIPv6(text), text)
      assert.equal(parseIpv6(text), [a, b, c, d])
      assert.ok(isIPv4(formatIpv4(a)))
      assert.is(parseIpv4(formatIpv4(a)), a)
    }),
    { numRuns: 500 },
  )
})

test('texts are addresses exactly where node says so', () => {
  const text = fc.string({ unit: fc.constantFrom(...'0123f:.'), maxLength: 24 })
  assertProperty(
    fc.property(text, (value) => {
      assert.is(parseIpv4(value) !== undefined, isIPv4(value), value)
      assert.is(parseIpv6(value) !== undefined, isIPv6(value), value)
    }),
    { numRuns: 5000 },
  )
})

test.run()
