import { concatBytes } from '#core/bytes'
import { bytesSource } from '#core/formats/source/byteSource'
import { planClip } from '#core/media/convert/clip'
import { convertClip } from '#core/media/convert/convertClip'
import { codeOf, fakeWorkFolders, ORIGIN, PREVIEW } from '#support/media/prepared'
import { PREVIEW_PARAMETERS, previewMp4 } from '#support/media/previewMp4'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

// Which programs run, and what happens when one fails. What they make: tests/flows.

const test = suite('converting a clip')
const { signal: never } = new AbortController()
const FAILED = { exitCode: 1, stderr: 'broken' }
const FULL = { stderr: 'av_write_trailer(): No space left on device' }

type Answer = NonNullable<Parameters<typeof scriptedFfmpeg>[0]>

/** What a program makes: a whole clip, its first pictures, or the stills from the original or the preview. */
function outputOf(args: string): 'head' | 'clip' | 'original' | 'preview' | 'small' {
  if (args.includes('clip.mp4')) return 'clip'
  if (args.includes('-f h264')) return 'head'
  if (args.includes('file:/original')) return 'original'
  return args.includes('file:/preview') ? 'preview' : 'small'
}

/**
 * @param answers by what the program makes
 * @param rangeStart seconds; every half second a key frame begins, from which on everything is copied
 */
async function convert(answers: { head?: Answer; original?: Answer }, files = {}, rangeStart = 0) {
  const asked: string[] = []
  const { ffmpeg } = scriptedFfmpeg((task) => {
    const output = outputOf(task.args.join(' '))
    asked.push(output)
    return (output === 'head' || output === 'original' ? answers[output]?.(task) : undefined) ?? {}
  })
  const { workFolders } = fakeWorkFolders(new Map(Object.entries(files)))
  const work = convertClip(
    {
      ffmpeg,
      webp: { open: async () => undefined },
      clock: createFakeClock(),
      limits: { maxInputSeconds: 60, convertTimeoutSeconds: 10 },
      version: 'test',
    },
    {
      preview: { bytes: bytesSource(previewMp4()), path: async () => '/preview', hasAudio: true },
      original: {
        bytes: bytesSource(new Uint8Array()),
        path: async () => '/original',
        traits: PREVIEW.original,
      },
    },
    {
      plan: planClip({ rangeStart, rangeEnd: 1, coverTime: 0, speed: 1 }, 90, 60),
      profile: 'universal',
      mute: false,
      quality: 'preview',
      origin: ORIGIN,
    },
    { folder: await workFolders.open(), signal: never },
  )
  return { code: await codeOf(work), asked }
}

/** Pictures of one slice each, as an encoder writes them. */
function slices(count: number): Uint8Array[] {
  return Array.from({ length: count }, () => Uint8Array.of(0, 0, 1, 0x41, 0x9a, 1))
}

const COVER = { 'cover.jpg': new Uint8Array(10), 'thumbnail.jpg': new Uint8Array(10) }

test('from a key frame on no program is needed for the clip; what is joined is checked', async () => {
  // The files of this test are no pictures.
  assert.equal(await convert({}, COVER), { code: 'internal', asked: ['original'] })
})

test('the pictures before the first key frame are encoded while the stills are made', async () => {
  const head = () => ({ stdout: concatBytes([PREVIEW_PARAMETERS, ...slices(12)]) })
  assert.equal((await convert({ head }, COVER, 0.1)).asked.sort(), ['head', 'original'])
})

test('a clip is encoded as a whole when its first pictures come out otherwise than the rest', async () => {
  const otherwise = PREVIEW_PARAMETERS.with(8, 0)
  for (const stdout of [
    new Uint8Array(),
    concatBytes([PREVIEW_PARAMETERS, ...slices(11)]),
    concatBytes([otherwise, ...slices(12)]),
  ]) {
    const head = () => ({ stdout })
    assert.equal((await convert({ head }, COVER, 0.1)).asked.sort(), ['clip', 'head', 'original'])
  }
})

test('a cover that cannot be taken from the original is taken from the preview', async () => {
  assert.equal((await convert({ original: () => FAILED }, COVER)).asked, ['original', 'preview'])
  assert.equal((await convert({})).asked, ['original', 'preview'], 'no cover was written')
})

test('a thumbnail too large for EXIF is made again from the cover', async () => {
  const files = { ...COVER, 'thumbnail.jpg': new Uint8Array(70_000) }
  assert.equal((await convert({}, files)).asked, ['original', 'small'])
})

test('a full disk is no reason to try the preview', async () => {
  assert.equal(await convert({ original: () => FULL }, COVER), { code: 'unavailable', asked: ['original'] })
})

test('the first failure ends the other program, and is the one that counts', async () => {
  let wasEnded = false
  const original: Answer = ({ signal }) =>
    new Promise((_, reject) => {
      signal.onabort = () => {
        wasEnded = true
        reject(new Error('killed'))
      }
    })
  const { code } = await convert({ head: () => FAILED, original }, {}, 0.1)
  assert.is(code, 'internal')
  assert.ok(wasEnded)
})

test.run()
