import { createFfmpeg } from '#core/adapters/ffmpeg/ffmpeg'
import { readAvcStream } from '#core/formats/avc/annexB'
import { GROUP_FRAMES } from '#core/media/ffmpeg/encodeArgs'
import { makeCoded, readNumbers } from '#support/media/codedPictures'
import {
  ffmpegPath,
  ffprobe,
  mediaFolderOf,
  packetsOf,
  pictureHashesOf,
  withFfprobe,
} from '#support/media/media'
import { createMediaTools, type Prepared } from '#support/media/mediaTools'
import { assert, suite } from '#support/runner/suite'

// 720p at twice the speed has twice the frames that level 3.1 allows: every second one is copied, none is encoded anew.

const test = suite('clips of 720p that are played faster', { timeoutMs: 120_000 })
const judged = test.skipUnless(...withFfprobe)
const media = await mediaFolderOf(test)
/** How many pictures each run of ffmpeg encodes. */
const encoded: number[] = []
const real = createFfmpeg({ path: ffmpegPath })
const tools = createMediaTools(media, {
  ffmpeg: {
    ...real,
    async run(task) {
      const outcome = await real.run(task)
      if (task.args.includes('h264')) encoded.push(readAvcStream(outcome.stdout).pictures.length)
      else if (task.args.includes('libx264')) encoded.push(Number.POSITIVE_INFINITY)
      return outcome
    },
  },
})
const FRAMES = 100
const X264 = '-vf scale=1280:720:flags=neighbor -c:v libx264 -preset ultrafast -pix_fmt yuv420p'.split(' ')

let prepared: Prepared
let decoded: string[]
test.before(async () => {
  prepared = await tools.prepare(await makeCoded(media, 'numbers.mp4', [FRAMES], X264))
  decoded = await pictureHashesOf(prepared.path)
  assert.is(decoded.length, FRAMES)
})

const firstKeyFrom = (frame: number) => Math.ceil(frame / GROUP_FRAMES) * GROUP_FRAMES

/** The frames that are shown: the first, and those that lie an even number before or after a key frame, not directly after it. */
function expectedFrames(start: number, end: number): number[] {
  const key = firstKeyFrom(start)
  const frames = Array.from({ length: end - start }, (_, index) => start + index)
  return frames.filter(
    (frame) => frame === start || ((key - frame) % 2 === 0 && (frame >= start + 2 || frame >= key)),
  )
}

for (const [speed, startFrame, endFrame] of [
  [2, 0, FRAMES],
  [2, 14, 73],
  [2, 15, 60],
  [2, 20, 61],
  [1.6, 27, 90],
  [1.85, 26, 91],
  [2, 43, 52],
] as const) {
  judged(`frames ${startFrame} to ${endFrame} at speed ${speed}: every second one, bit by bit`, async () => {
    encoded.length = 0
    const [rangeStart, rangeEnd] = [startFrame / 30, endFrame / 30]
    const shot = await tools.shoot(prepared, { rangeStart, rangeEnd, coverTime: rangeStart, speed })
    const expected = expectedFrames(startFrame, endFrame)
    assert.equal(await readNumbers(shot.clip), expected)

    const key = Math.min(firstKeyFrom(startFrame), endFrame)
    const heads = expected.filter((frame) => frame < key).length
    assert.equal(encoded, heads === 0 ? [] : [heads === 1 ? 2 : heads])
    const hashes = await pictureHashesOf(shot.clip)
    assert.equal(
      hashes.slice(heads),
      expected.slice(heads).map((frame) => decoded[frame]),
    )

    for (const [index, { pts }] of (await packetsOf(shot.clip)).entries()) {
      const time = ((expected[index] ?? 0) - startFrame) / (30 * speed)
      assert.ok(Math.abs(pts - time) < 1e-4, `picture ${index} at ${pts} s`)
    }
    const { streams, format } = await ffprobe(shot.clip)
    assert.match(String(streams[0]?.profile), /Baseline/)
    assert.equal([streams[0]?.level, streams[0]?.width, streams[0]?.height], [31, 1280, 720])
    assert.ok(expected.length / Number(format.duration) < 30.1 + 1 / Number(format.duration))
    assert.ok(Math.abs(Number(format.duration) - (rangeEnd - rangeStart) / speed) < 0.002, format.duration)
  })
}

judged('what would have fewer than 24 frames a second, or more than 30, is encoded', async () => {
  for (const speed of [1.5, 2.1]) {
    encoded.length = 0
    const shot = await tools.shoot(prepared, { rangeStart: 0, rangeEnd: 3, speed })
    assert.equal(encoded, [Number.POSITIVE_INFINITY])
    assert.is((await packetsOf(shot.clip)).length, Math.round(90 / speed))
  }
})

test.run()
