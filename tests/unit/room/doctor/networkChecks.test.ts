import { multicastHint } from '#internal/room/doctor/networkChecks'
import { assert, suite } from '#support/runner/suite'

const test = suite('what to do about multicast')

for (const [platform, problem, has, hasNot] of [
  ['win32', 'not heard', 'Allow an app through firewall', 'Local Network'],
  ['darwin', 'send EHOSTUNREACH 224.0.2.60:4445', 'Privacy & Security, Local Network', 'firewall'],
  ['darwin', 'not heard', 'Privacy & Security, Local Network', 'Windows'],
  ['darwin', 'not heard', 'firewall', 'Windows'],
  ['linux', 'not heard', 'UDP on port 4445 and 5353', 'Local Network'],
] as const) {
  test(`${platform}, ${problem}: ${has}`, () => {
    const hint = multicastHint(platform, problem)
    assert.ok(hint.includes(has), hint)
    assert.not.ok(hint.includes(hasNot), hint)
  })
}

test.run()
