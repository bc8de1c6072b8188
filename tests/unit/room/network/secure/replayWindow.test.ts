import * as fc from 'fast-check'
import { createReplayWindow } from '#core/room/network/secure/datagramSeal'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'

const test = suite('room: datagrams that arrive again')

const SIZE = 16

test('a number is taken once, and not when it is too far behind', () => {
  const window = createReplayWindow(SIZE)
  const taken = (number: number) => {
    const isFresh = window.isFresh(number)
    if (isFresh) window.add(number)
    return isFresh
  }
  assert.equal([0, 0, 2, 1, 1, 2].map(taken), [true, false, true, true, false, false])
  assert.ok(taken(20))
  assert.equal([4, 5, 19, 19].map(taken), [false, true, true, false])
  assert.ok(taken(1_000_000))
  assert.equal([20, 1_000_000 - SIZE, 1_000_001 - SIZE, 999_999].map(taken), [false, false, true, true])
})

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
