import * as fc from 'fast-check'
import { createReplayWindow } from '#internal/room/network/secure/datagramSeal'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'

const test = suite('room: datagrams that arrive again')

const SIZE = 16

test('it agrees with a list of everything that was seen', () => {
  const step = fc.integer({ min: -20, max: 40 })
  assertProperty(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const window = createReplayWindow(SIZE)
      const seen = new Set<number>()
      let at = 0
      for (const by of steps) {
        at = Math.max(0, at + by)
        const highest = Math.max(-1, ...seen)
        const isFresh = !seen.has(at) && at > highest - SIZE
        assert.is(window.isFresh(at), isFresh)
        if (!isFresh) continue
        window.add(at)
        seen.add(at)
      }
    }),
  )
})

test.run()
