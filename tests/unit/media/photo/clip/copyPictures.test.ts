import { bytesSource } from '@lantern-room/formats'
import { type CopyPlan, cutPictures, planCopy, readClipTracks } from '@lantern-room/mp4/clip'
import { copyPictures, headArgs } from '#internal/media/photo/clip/copyPictures'
import type { Ffmpeg } from '#internal/media/ports'
import { codeOf } from '#support/media/prepared'
import { previewMp4 } from '#support/media/previewMp4'
import { assert, suite } from '#support/runner/suite'

const test = suite('copying pictures')
const { signal } = new AbortController()

/** Frames `start` to 60 of 90, in groups of 15. */
async function planFrom(start: number): Promise<CopyPlan> {
  const source = bytesSource(previewMp4())
  const { video } = await readClipTracks(source)
  const plan = video && (await planCopy(source, cutPictures(video, start, 60), { speed: 1, fps: 30 }))
  if (!plan) throw new Error('no plan')
  return plan
}

test('ffmpeg encodes the frames before the first key frame, of a group that it decodes as a whole', async () => {
  const plan = await planFrom(20)
  assert.ok(headArgs(plan).join(' ').includes('-vf trim=start_frame=5,setpts=N/30/TB -'))
  const few = headArgs({ ...plan, headFrames: [0, 4] })
  assert.ok(few.includes("trim=start_frame=5,select='eq(n,0)+eq(n,4)',setpts=N/30/TB"))
  const one = headArgs(await planFrom(29)).join(' ')
  assert.ok(one.includes('trim=start_frame=14,setpts=N/30/TB,tpad=stop=1:stop_mode=clone'), one)
  assert.ok(one.includes('-force_key_frames expr:1'), one)
})

test('that the encoder failed is said, and without a head it is not asked', async () => {
  let runs = 0
  const ffmpeg: Ffmpeg = {
    version: async () => 'ffmpeg version 0',
    async run() {
      runs += 1
      return { exitCode: 1, stdout: new Uint8Array(), stderr: '' }
    },
  }
  const run = { ffmpeg, signal, timeoutMs: 1000 }
  assert.is(await codeOf(copyPictures(run, await planFrom(20), 1, 1)), 'internal')
  assert.is((await copyPictures(run, await planFrom(30), 1, 1))?.samples.length, 30)
  assert.is(runs, 1)
})

test.run()
