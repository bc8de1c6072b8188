import fc from 'fast-check'
import { planParts } from '#core/media/prepare/partPlan'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'

const test = suite('plans of parts')
const whole = { firstFrame: 0, maxFrames: 18_000 }

test('56 s in two parts of 28 s; the last goes to the end, whatever the container says', () => {
  assert.equal(planParts(whole, 1680, 28, 2), [
    { firstFrame: 0, maxFrames: 840, frames: 840 },
    { firstFrame: 840, maxFrames: 17_160, frames: undefined },
  ])
})

test('what is short is not divided', () => {
  assert.ok(planParts(whole, 1199, 28, 16).length < 2)
  assert.is(planParts(whole, 1200, 28, 16).length, 2)
  assert.is(planParts(whole, 18_000, 28, 1).length, 1)
})

test('parts begin with a group and a tile, follow each other without a gap, and are long enough', () => {
  const cases = fc.record({
    firstFrame: fc.nat(100_000),
    frames: fc.integer({ min: 1, max: 100_000 }),
    tiles: fc.constantFrom(undefined, 5, 14, 28, 56),
    processes: fc.integer({ min: 1, max: 16 }),
  })
  const property = fc.property(cases, ({ firstFrame, frames, tiles, processes }) => {
    const parts = planParts({ firstFrame, maxFrames: frames }, frames, tiles, processes)
    assert.ok(parts.length <= processes)
    let next = firstFrame
    for (const { firstFrame: first, maxFrames } of parts) {
      assert.is(first, next)
      assert.is((first - firstFrame) % 14, 0)
      assert.is((first - firstFrame) % (tiles ?? 1), 0)
      assert.ok(maxFrames >= 600 - 70)
      next += maxFrames
    }
    if (parts.length > 0) assert.is(next, firstFrame + frames)
  })
  assertProperty(property)
})
