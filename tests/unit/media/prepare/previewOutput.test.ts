import type { FfmpegTask, WorkFolder } from '#core/media/ports'
import { runEncoder, takePreview } from '#core/media/prepare/previewOutput'
import { UNKNOWN_CAPTURE } from '#core/media/traits'
import { codeOf, fakeWorkFolders, PREVIEW } from '#support/media/prepared'
import { previewMp4 } from '#support/media/previewMp4'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { assert, suite } from '#support/runner/suite'
import { baselineJpeg } from '../../formats/motionPhoto/sampleJpeg'

const test = suite('writing a preview')
const { signal } = new AbortController()
const STRIP = { size: { width: 16, height: 16 }, interval: 5 }

async function setUp(preview: Uint8Array, { firstFrame = 0, exitCode = 0, tiles = baselineJpeg } = {}) {
  const files = new Map(Object.entries({ 'preview.mp4': preview, 'tiles.mjpeg': tiles }))
  const found: WorkFolder = await fakeWorkFolders(files).workFolders.open()
  const folder: WorkFolder = {
    ...found,
    read: async (name, range) => (await found.read(name)).slice(range?.start, range && range.end + 1),
  }
  const { ffmpeg, tasks } = scriptedFfmpeg(() => ({ exitCode }))
  const task = { ffmpeg, folder, firstFrame, maxFrames: 90, timeoutMs: 1000, signal }
  const take = (strip?: typeof STRIP) => takePreview(task, strip, 3, PREVIEW.original, UNKNOWN_CAPTURE)
  return { task, tasks, take }
}

const textOf = ({ args }: FfmpegTask) => args.join(' ')

test('its facts are those of the file', async () => {
  const { take, tasks } = await setUp(previewMp4({ frames: 30, soundSeconds: 1 }))
  const { path, frames, width, height, hasAudio, strip } = await take()
  assert.equal([path, frames, width, height, hasAudio], ['/work/preview.mp4', 30, 640, 360, true])
  assert.equal([strip, tasks.length], [undefined, 0])
  assert.is((await (await setUp(previewMp4())).take()).hasAudio, false)
})

test('sound that goes on after the last picture is cut off', async () => {
  const { take, tasks } = await setUp(previewMp4({ frames: 30, soundSeconds: 1.2 }))
  assert.is((await take()).path, '/work/trimmed.mp4')
  assert.match(tasks.map(textOf).join(), /-c copy -t 1\.000000 /)
  const failing = await setUp(previewMp4({ frames: 30, soundSeconds: 1.2 }), { exitCode: 1 })
  assert.is(await codeOf(failing.take()), 'invalid-request')
})

test('a preview without a picture is refused: its window begins too late, or the file is no video', async () => {
  const empty = previewMp4({ frames: 0, soundSeconds: 1 })
  assert.is(await codeOf((await setUp(empty)).take()), 'invalid-request')
  assert.is(await codeOf((await setUp(empty, { firstFrame: 30 })).take()), 'out-of-range')
  assert.is(await codeOf((await setUp(new Uint8Array())).take()), 'internal')
})

test('tiles become a strip, and those that do not fit together none', async () => {
  const { take } = await setUp(previewMp4({ frames: 5 }))
  assert.is((await take(STRIP)).strip?.layout.tiles, 1)
  const broken = await setUp(previewMp4({ frames: 5 }), { tiles: baselineJpeg.subarray(0, 20) })
  assert.is((await broken.take(STRIP)).strip, undefined)
})

test('progress is asked of ffmpeg only when it is wanted, and never more than the whole', async () => {
  const { task, tasks } = await setUp(new Uint8Array())
  const encoding = { args: ['-i', 'x'], expectedFrames: 30, strip: undefined }
  const shares: number[] = []
  await runEncoder({ ...task, onProgress: (share) => shares.push(share) }, encoding)
  await runEncoder(task, { ...encoding, strip: STRIP })
  tasks[0]?.onFrame?.(15)
  tasks[0]?.onFrame?.(40)
  assert.equal(shares, [0.5, 1])
  assert.equal([tasks[0]?.args.includes('-progress'), tasks[1]?.args.includes('-progress')], [true, false])
  assert.equal(
    [tasks[1]?.onFrame, /preview\.mp4 .*tiles\.mjpeg$/.test(tasks.map(textOf)[1] ?? '')],
    [undefined, true],
  )
})

test.run()
