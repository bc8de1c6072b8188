import { MAX_TILES, planStrip } from '#internal/media/preview/frames/stripPlan'
import { assert, suite } from '#support/runner/suite'

const test = suite('plan of a filmstrip')
const HD = { width: 1280, height: 720 }

test('tiles keep the shape of the preview and are never larger than it', () => {
  const sizeOf = (width: number, height: number) => planStrip({ width, height }, 300, 18_000).size
  assert.equal(sizeOf(1280, 720), { width: 160, height: 90 })
  assert.equal(sizeOf(720, 1280), { width: 90, height: 160 })
  assert.equal(sizeOf(100, 60), { width: 100, height: 60 })
  assert.equal(sizeOf(2704, 2), { width: 160, height: 1 })
})

test('short previews have a tile each fifth frame, longer ones each so many groups', () => {
  const intervalOf = (frames: number) => planStrip(HD, frames, 18_000).interval
  assert.equal([1, 300, 301, 900, 901].map(intervalOf), [5, 5, 14, 28, 28])
  for (let frames = 1; frames < 18_000; frames += 7)
    assert.ok(Math.ceil(frames / intervalOf(frames)) <= MAX_TILES, `${frames} frames`)
})

test('of an unknown length a bounded number of key frames is taken', () => {
  assert.is(planStrip(HD, undefined, 18_000).interval, 14)
  assert.is(planStrip(HD, undefined, 1_080_000).interval, 462)
})

test.run()
