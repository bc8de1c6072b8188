import { concatBytes } from '@lantern-room/base/bytes'
import fc from 'fast-check'
import { stillFrames, timelineOf, webpTimeline, windowOfTimeline } from '#internal/media/preview/timeline'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { collect } from '#support/values/collect'

const test = suite('time of animated images')

/** As `-f framecrc` writes it. */
const listing = (base: string, packets: readonly (readonly [pts: number, duration: number])[]) =>
  [
    '#software: Lavf59.27.100',
    `#tb 0: ${base}`,
    '#media_type 0: video',
    '#codec_id 0: gif',
    '#dimensions 0: 192x48',
    '#sar 0: 0/1',
    ...packets.map(
      ([pts, duration]) =>
        `0, ${String(pts).padStart(10)}, ${String(pts).padStart(10)}, ${String(duration).padStart(8)},     1234, 0x12345678`,
    ),
    '',
  ].join('\n')

/** The length of pictures with these delays, one after the other. */
function framesOf(base: string, delays: readonly number[]): number | undefined {
  let begin = 0
  const packets = delays.map((delay) => {
    begin += delay
    return [begin - delay, delay] as const
  })
  return timelineOf(listing(base, packets), 600)
}

test('the last delay counts', () => {
  assert.is(framesOf('1/100', [10, 50, 100]), 48)
})

test('a single picture lasts a second, or its own longer delay', () => {
  assert.is(framesOf('1/100', [10]), 30)
  assert.is(framesOf('1/100', [250]), 75)
  assert.is(framesOf('1/100', []), 30)
})

test('nothing lasts longer than the limit, nor shorter than a frame', () => {
  assert.is(framesOf('1/100', [10, 1_000_000]), 18_000)
  assert.is(framesOf('1/1000', [16, 16]), 1)
})

test('a hundredth and less count as ten, whether ffmpeg has seen to it or not', () => {
  const gif = (...delays: number[]) => framesOf('1/100', delays)
  assert.is(gif(1, 1, 1, 1), 12)
  assert.is(gif(0, 0, 0, 0), 12)
  assert.is(gif(10, 10, 10, 10), 12)
  assert.is(gif(1, 50, 0, 50, 1), 39)
  assert.is(gif(2, 2, 2, 2, 2), 3, '2 hundredths are meant')
})

test('any time base will do, and packets out of order', () => {
  const packets = [0, 1024, 512].map((pts) => [pts, 512] as const)
  assert.is(timelineOf(listing('1/15360', packets), 600), 3)
  assert.is(framesOf('1001/30000', [1, 1, 1]), 3)
})

test('side data behind a packet does not disturb', () => {
  const text =
    '#tb 0: 1/100\n0,          0,          0,       10,     1234, 0x12345678, S=1,       16, 0x2bad\n0, 10, 10, 90, 5, 0x1\n'
  assert.is(timelineOf(text, 600), 30)
})

test('pictures of a WebP stand for their delays', () => {
  assert.equal(webpTimeline([100, 500, 40, 1000]), { frames: 49, repeats: [3, 15, 1, 30] })
  assert.equal(webpTimeline([200]), { frames: 30, repeats: [30] })
  assert.equal(webpTimeline([10, 10, 10, 970]).repeats, [0, 1, 0, 29], 'some are never seen')
})

test('the sum is always the length, and none is off by more than half a frame', () => {
  assertProperty(
    fc.property(fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 2, maxLength: 60 }), (delays) => {
      const { frames, repeats } = webpTimeline(delays)
      const total = repeats.reduce((sum, count) => sum + count, 0)
      assert.is(total, frames)
      let end = 0
      let shown = 0
      delays.forEach((delay, index) => {
        end += delay
        shown += repeats[index] ?? 0
        assert.ok(Math.abs(shown - (end * 30) / 1000) <= 1)
      })
    }),
  )
})

test('each picture is repeated as often as it is seen', async () => {
  async function* pictures() {
    for (const value of [1, 2, 3, 4]) yield Uint8Array.of(value)
  }
  const shown = await collect(stillFrames(pictures(), [2, 0, 3]))
  assert.equal(concatBytes(shown), Uint8Array.of(1, 1, 3, 3, 3))
})

test('a window of a timeline shows the pictures that the whole shows there', () => {
  const repeats = [3, 0, 2, 4]
  const cases: readonly [number, number, number[]][] = [
    [0, 100, [3, 0, 2, 4]],
    [0, 4, [3, 0, 1, 0]],
    [2, 2, [1, 0, 1, 0]],
    [5, 100, [0, 0, 0, 4]],
    [8, 1, [0, 0, 0, 1]],
  ]
  for (const [firstFrame, maxFrames, shown] of cases) {
    const frames = shown.reduce((sum, count) => sum + count, 0)
    assert.equal(windowOfTimeline(repeats, { firstFrame, maxFrames }), { frames, repeats: shown })
  }
})

test.run()
