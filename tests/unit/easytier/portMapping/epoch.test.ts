import * as assert from 'uvu/assert'
import { isSameEpoch } from '#core/easytier/portMapping/epoch'
import { suite } from '#support/runner/suite'

const test = suite('the epoch of a router')

for (const [what, before, after, seconds, isSame] of [
  ['goes on', 1000, 1060, 60, true],
  ['is told a second early', 1000, 999, 0, true],
  ['goes on with a clock that is 5 % slow', 1000, 1570, 600, true],
  ['stands still', 7, 7, 60, true],
  ['begins anew', 1000, 3, 60, false],
  ['begins anew, higher than before', 10, 40, 600, false],
  ['jumps', 1000, 9000, 60, false],
] as const) {
  test(`it ${what}: ${isSame ? 'ports are kept' : 'ports are lost'}`, () => {
    const now = { epochS: after, atMs: seconds * 1000 }
    assert.is(isSameEpoch({ epochS: before, atMs: 0 }, now), isSame)
  })
}

test.run()
