import * as assert from 'uvu/assert'
import { planClip } from '#core/media/convert/clip'
import { convertClip } from '#core/media/convert/convertClip'
import type { FfmpegOutcome, FfmpegTask } from '#core/media/ports'
import { codeOf, fakeWorkFolders, PREVIEW } from '#support/media/prepared'
import { createFakeClock } from '#support/network/fakeClock'
import { suite } from '#support/runner/suite'

// Which programs run, and what happens when one fails. What they make: tests/flows.

const test = suite('converting a clip')
const { signal: never } = new AbortController()
const DONE: FfmpegOutcome = { exitCode: 0, stdout: new Uint8Array(), stderr: '' }
const FAILED: FfmpegOutcome = { ...DONE, exitCode: 1, stderr: 'broken' }
const FULL: FfmpegOutcome = { ...DONE, stderr: 'av_write_trailer(): No space left on device' }

type Answer = (task: FfmpegTask) => Promise<FfmpegOutcome>

/** @param answers by the file that the program makes of what: the clip, the stills from the original or the preview */
async function convert(
  answers: { clip?: Answer; original?: Answer; preview?: Answer; small?: Answer },
  files = {},
) {
  const asked: string[] = []
  const answer = (name: keyof typeof answers, task: FfmpegTask) => {
    asked.push(name)
    return (answers[name] ?? (async () => DONE))(task)
  }
  const { workFolders } = fakeWorkFolders(new Map(Object.entries(files)))
  const work = convertClip(
    {
      ffmpeg: {
        version: async () => 'ffmpeg',
        run(task) {
          const args = task.args.join(' ')
          if (args.includes('clip.mp4')) return answer('clip', task)
          if (args.includes('file:/original')) return answer('original', task)
          return answer(args.includes('file:/preview') ? 'preview' : 'small', task)
        },
      },
      webp: { open: async () => undefined },
      clock: createFakeClock(),
      limits: { maxInputSeconds: 60, convertTimeoutSeconds: 10 },
      version: 'test',
    },
    {
      preview: { path: '/preview', hasAudio: true },
      original: { path: '/original', traits: PREVIEW.original },
    },
    {
      plan: planClip({ rangeStart: 0, rangeEnd: 1, coverTime: 0, speed: 1 }, 90, 60),
      profile: 'universal',
      mute: false,
      takenAt: { year: 2026, month: 1, day: 2, hour: 3, minute: 4, second: 5, offsetMinutes: 0 },
    },
    { folder: await workFolders.open(), signal: never },
  )
  return { code: await codeOf(work), asked }
}

const COVER = { 'cover.jpg': new Uint8Array(10), 'thumbnail.jpg': new Uint8Array(10) }

test('clip and stills are made side by side; what they made is checked', async () => {
  // The files of this test are no pictures.
  assert.equal(await convert({}, COVER), { code: 'internal', asked: ['clip', 'original'] })
})

test('a cover that cannot be taken from the original is taken from the preview', async () => {
  assert.equal((await convert({ original: async () => FAILED }, COVER)).asked, [
    'clip',
    'original',
    'preview',
  ])
  assert.equal((await convert({})).asked, ['clip', 'original', 'preview'], 'no cover was written')
})

test('a thumbnail too large for EXIF is made again from the cover', async () => {
  const files = { ...COVER, 'thumbnail.jpg': new Uint8Array(70_000) }
  assert.equal((await convert({}, files)).asked, ['clip', 'original', 'small'])
})

test('a full disk is no reason to try the preview', async () => {
  assert.equal(await convert({ original: async () => FULL }, COVER), {
    code: 'unavailable',
    asked: ['clip', 'original'],
  })
})

test('the first failure ends the other program, and is the one that counts', async () => {
  let wasEnded = false
  const { code } = await convert({
    clip: async () => FAILED,
    original: ({ signal }) =>
      new Promise((_, reject) => {
        signal.onabort = () => {
          wasEnded = true
          reject(new Error('killed'))
        }
      }),
  })
  assert.is(code, 'internal')
  assert.ok(wasEnded)
})

test.run()
