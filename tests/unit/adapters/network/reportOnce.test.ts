import * as assert from 'uvu/assert'
import { reportOnce } from '#core/adapters/network/reportOnce'
import type { Log } from '#core/log'
import { suite } from '#support/runner/suite'

const test = suite('problems reported once')

function setUp() {
  const entries: unknown[] = []
  const at = (level: string) => (message: string, fields?: object) =>
    void entries.push([level, message, fields])
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return { entries, report: reportOnce(log) }
}

const refused = Object.assign(new Error('refused'), { code: 'EACCES' })

test('IPv4 is a warning, IPv6 a detail; the entry has the code of a system error or the text of another one', () => {
  const { entries, report } = setUp()
  report('no multicast', 'ipv4', '10.0.0.1', refused)
  report('no multicast', 'ipv6', '::%eth0', new Error('odd'))
  assert.equal(entries, [
    ['warn', 'no multicast', { interface: '10.0.0.1', code: 'EACCES' }],
    ['debug', 'no multicast', { interface: '::%eth0', code: 'Error: odd' }],
  ])
})

test('only the same problem with the same code at the same interface is a repetition', () => {
  const { entries, report } = setUp()
  for (let count = 0; count < 3; count += 1) {
    report('one', 'ipv4', 'a', refused)
    report('other', 'ipv4', 'a', refused)
    report('one', 'ipv6', 'a', refused)
    report('one', 'ipv4', 'b', refused)
    report('one', 'ipv4', 'a', Object.assign(new Error('x'), { code: 'EPERM' }))
  }
  assert.is(entries.length, 5)
})

test.run()
