import fc from 'fast-check'
import { planParts } from '#core/media/prepare/partPlan'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'

const test = suite('plans of parts')
const whole = { firstFrame: 0, maxFrames: 18_000 }

test('a minute in three parts of 20 s; the last goes to the end, whatever the container says', () => {
  assert.equal(planParts(whole, 1800, 5, 3), [
    { firstFrame: 0, maxFrames: 600, frames: 600 },
    { firstFrame: 600, maxFrames: 600, frames: 600 },
    { firstFrame: 1200, maxFrames: 16_800, frames: undefined },
  ])
})

test('what is short is not divided', () => {
  assert.ok(planParts(whole, 1199, 5, 16).length < 2)
  assert.is(planParts(whole, 1200, 5, 16).length, 2)
  assert.is(planParts(whole, 18_000, 5, 1).length, 1)
})

test('parts begin with a group and a tile, follow each other without a gap, and are long enough', () => {
  const cases = fc.record({
    firstFrame: fc.nat(100_000),
    frames: fc.integer({ min: 1, max: 100_000 }),
    tiles: fc.constantFrom(undefined, 5, 15, 30, 60),
    processes: fc.integer({ min: 1, max: 16 }),
  })
  const property = fc.property(cases, ({ firstFrame, frames, tiles, processes }) => {
    const parts = planParts({ firstFrame, maxFrames: frames }, frames, tiles, processes)
    assert.ok(parts.length <= processes)
    let next = firstFrame
    for (const { firstFrame: first, maxFrames } of parts) {
      assert.is(first, next)
      assert.is((first - firstFrame) % Math.max(15, tiles ?? 15), 0)
      assert.ok(maxFrames >= 600 - 60)
      next += maxFrames
    }
    if (parts.length > 0) assert.is(next, firstFrame + frames)
  })
  assertProperty(property)
})
