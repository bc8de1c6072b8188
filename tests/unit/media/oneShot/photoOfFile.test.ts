import { concatBytes } from '#core/bytes'
import { ServiceError } from '#core/errors'
import { bytesSource } from '#core/formats/source/byteSource'
import { outputFiles } from '#core/media/convert/outputFiles'
import { type PhotoRequest, photoOfFile } from '#core/media/oneShot/photoOfFile'
import { codeOf, fakeWorkFolders, ORIGIN, PLAIN_CLIP, PREVIEW } from '#support/media/prepared'
import { assert, suite } from '#support/runner/suite'
import { sampleParts } from '../../formats/motionPhoto/sampleParts'

// The two steps are proven by themselves; here is what they are given.

const test = suite('the photo of a file')
const { signal } = new AbortController()
/** Its picture shows a tenth of a second. */
const PHOTO = concatBytes(
  outputFiles('universal', { ...sampleParts, namedAt: ORIGIN.namedAt }).map(({ bytes }) => bytes),
)
const STILL = Uint8Array.of(9)

const REQUEST: PhotoRequest = {
  start: 1,
  end: 2,
  cover: undefined,
  speed: 1,
  profile: 'universal',
  mute: true,
  quality: 'preview',
  origin: { metadata: 'date', capturedAt: undefined, timeZone: undefined },
}

async function make(
  change: Partial<PhotoRequest> = {},
  { kind = 'video' as 'video' | 'photo', error = undefined as unknown } = {},
) {
  const asked: Parameters<Parameters<typeof photoOfFile>[0]['convertClip']>[] = []
  const windows: unknown[] = []
  const made = await photoOfFile(
    {
      openFile: async (path) => bytesSource(path === '/upload' ? PHOTO : STILL),
      async preparePreview(_, task) {
        windows.push(task.window, task.makesStrip)
        if (error) throw error
        const firstFrame = Math.round((task.window?.from ?? 0) * 30)
        return { ...PREVIEW, frames: 31, original: { ...PREVIEW.original, firstFrame } }
      },
      async convertClip(...args) {
        asked.push(args)
        return { files: [], photo: STILL, ...PLAIN_CLIP }
      },
    },
    { path: '/upload', kind },
    { ...REQUEST, ...change },
    { maxClipSeconds: 60, maxInputSeconds: 60 },
    { folder: await fakeWorkFolders().workFolders.open(), signal, circumstances: { now: 0 } },
  )
  const [[materials, settings] = []] = asked
  if (!materials || !settings) throw new Error('nothing was converted')
  return { ...made, materials, settings, windows }
}

test('only the range is prepared, and counted from its beginning', async () => {
  const { plan, settings, windows, videoSeconds, materials } = await make()
  assert.equal(windows, [{ from: 1, to: 61 / 30, mustFit: false }, false])
  assert.equal([plan.startFrame, plan.sourceFrames, plan.coverFrame], [30, 30, 45])
  assert.equal([settings.plan.startFrame, settings.plan.coverFrame], [0, 15])
  assert.is(videoSeconds, 3)
  assert.is(await materials.original.path(), '/upload')
})

test('the own picture of a photo is the cover where it is wanted, at the moment that it shows', async () => {
  const photo = { kind: 'photo' } as const
  const source = await make({ start: 0, end: 1, coverFrom: 'source' }, photo)
  assert.equal(source.settings.picture, { bytes: STILL, name: "The photo's own picture", isOptional: false })
  assert.is(source.plan.coverFrame, 3)
  const auto = await make({ start: 0, end: 1, coverFrom: 'auto' }, photo)
  assert.is(auto.settings.picture?.isOptional, true)
  const given = { start: 0, end: 1, cover: 0.5 }
  for (const coverFrom of ['auto', 'time'] as const) {
    const { settings, plan } = await make({ ...given, coverFrom }, photo)
    assert.equal([settings.picture, plan.coverFrame], [undefined, 15])
  }
  assert.is((await make({ coverFrom: 'auto' })).settings.picture, undefined, 'a video has none')
  assert.is(await codeOf(make({ coverFrom: 'source' })), 'unprocessable')
})

test('a picture that is sent comes before the own one', async () => {
  const coverFile = Uint8Array.of(7)
  const { settings } = await make({ start: 0, end: 1, coverFrom: 'source', coverFile }, { kind: 'photo' })
  assert.equal(settings.picture, { bytes: coverFile, name: 'cover_file' })
})

test('what is wrong is said in the words of the request', async () => {
  const late = new ServiceError('out-of-range', 'from must lie before the end of the file (3.000 s).')
  const refused = await make({}, { error: late }).catch((thrown: unknown) => thrown)
  assert.is(
    refused instanceof ServiceError && refused.detail,
    'range_start must lie before the end of the video (3.000 s).',
  )
  const other = new ServiceError('timeout', 'from')
  assert.is(await make({}, { error: other }).catch((thrown: unknown) => thrown), other)
  assert.is(await codeOf(make({ mute: false, repeat: 2 })), 'unprocessable')
})

test.run()
