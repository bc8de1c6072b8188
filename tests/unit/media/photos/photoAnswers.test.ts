import { concatBytes } from '#core/bytes'
import { assembleMotionPhoto } from '#core/formats/motionPhoto/assemble'
import { encodeBoxHeader } from '#core/formats/mp4/boxes'
import { type ByteSource, bytesSource, joinSources } from '#core/formats/source/byteSource'
import { createJobQueue, type JobQueue } from '#core/media/jobs/jobQueue'
import {
  extractPhoto,
  inspectPhoto,
  type PhotoDependencies,
  repairPhoto,
} from '#core/media/photos/photoAnswers'
import type { PhotoFile } from '#core/media/photos/photoFile'
import type { FfmpegOutcome } from '#core/media/ports'
import { countingSource, zerosSource } from '#support/media/countingSource'
import { CLIENT, codeOf, fakeWorkFolders, postOf } from '#support/media/prepared'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createMemoryStore } from '#support/store/memoryStore'
import { equalBytes } from '#support/values/equalBytes'
import {
  livePhotoZip as LIVE_PHOTO,
  movie as MOVIE,
  still as STILL,
} from '../../formats/livePhoto/sampleLivePhoto'
import { baselineJpeg } from '../../formats/motionPhoto/sampleJpeg'
import { sampleParts } from '../../formats/motionPhoto/sampleParts'
import { clip as phoneClip, video, withDirectory } from '../../formats/motionPhoto/samplePhones'

const test = suite('answers with a photo, or of one', { setUp })

const PHOTO = assembleMotionPhoto({ ...sampleParts, profile: 'universal' })
const GOOGLE = assembleMotionPhoto({ ...sampleParts, maker: 'Google', model: 'Pixel 9', profile: 'google' })
const GIF = Uint8Array.of(0x47, 0x49, 0x46)

type Sent = {
  readonly photo?: Uint8Array | ByteSource
  readonly fields?: Readonly<Record<string, string>>
  readonly ffmpeg?: Partial<FfmpegOutcome>
  readonly donor?: Uint8Array
}

/** A request with a photo that has come as a file of a form. */
function setUp({ photo = PHOTO, fields = {}, ffmpeg: outcome = { stdout: GIF }, donor }: Sent = {}) {
  const files = new Map(donor && [['donor', donor]])
  const { workFolders, stillOpen } = fakeWorkFolders(files)
  const { ffmpeg, tasks } = scriptedFfmpeg(() => outcome)
  const stopping = new AbortController()
  const kinds: string[] = []
  const queue = createJobQueue(1, createFakeClock())
  const run: JobQueue['run'] = (request, work) => {
    kinds.push(request.kind)
    return queue.run(request, work)
  }
  const source = photo instanceof Uint8Array ? bytesSource(photo) : photo
  const dependencies: PhotoDependencies = {
    store: createMemoryStore(),
    uploads: { find: () => Promise.reject(new Error('not needed')) },
    workFolders,
    receiveForm: async (_, { checkHead }) => {
      checkHead((await source.read(0, Math.min(source.size, 64))).slice())
      return {
        fields: new Map(Object.entries(fields)),
        file: { path: '/work/file', size: source.size },
        ...(donor && { others: new Map([['donor', 'donor']]) }),
      }
    },
    openFile: async () => source,
    quota: { check: async () => undefined },
    ffmpeg,
    jobs: { run },
    limits: { maxUploadBytes: 1e9, uploadIdleSeconds: 1, maxClipSeconds: 60, convertTimeoutSeconds: 9 },
    stopping: stopping.signal,
  }
  const sent = { request: postOf(), texts: [] }
  const caller = { client: CLIENT, signal: new AbortController().signal }
  return {
    inspect: () => inspectPhoto(dependencies, sent, caller),
    extract: () => extractPhoto(dependencies, sent, caller),
    repair: () => repairPhoto(dependencies, sent, caller),
    stillOpen,
    stopping,
    tasks,
    kinds,
  }
}

const bytesOf = async ({ body }: PhotoFile) => new Uint8Array(await new Response(body).arrayBuffer())
const nameAndType = ({ name, mediaType }: PhotoFile) => [name, mediaType]

test('an inspection says what was found, and keeps nothing of the photo', async ({ inspect, stillOpen }) => {
  const { format, clip, galleries, donor } = await inspect()
  const expected = ['jpeg', sampleParts.clip.length, 7, undefined]
  assert.equal([format, clip?.bytes, galleries.length, donor], expected)
  assert.is(stillOpen(), 0)
})

test('with a photo of a phone it says what differs from that', async () => {
  const { inspect, stillOpen } = setUp({ donor: GOOGLE })
  const { donor } = await inspect()
  assert.equal([donor?.maker, donor?.model, donor?.family], ['Google', 'Pixel 9', 'google'])
  assert.is(stillOpen(), 0)
})

for (const [what, photo, name, type, expected] of [
  [undefined, PHOTO, 'IMG_20260304_050607.mp4', 'video/mp4', sampleParts.clip],
  ['clip', LIVE_PHOTO, 'IMG_20260304_050607.mov', 'video/quicktime', MOVIE],
  ['still', LIVE_PHOTO, 'IMG_20260304_050607.jpg', 'image/jpeg', STILL],
] as const)
  test(`what=${what}: the part is sent as ${name}, and the photo stays until it has been read`, async () => {
    const { extract, stillOpen } = setUp({ photo, fields: what ? { what } : {} })
    const file = await extract()
    assert.equal([nameAndType(file), stillOpen()], [[name, type], 1])
    const bytes = await bytesOf(file)
    equalBytes(bytes, expected)
    assert.equal([file.size, stillOpen()], [bytes.length, 0])
  })

test('the still of a motion photo has its name with the ending of a JPEG', async () => {
  const { extract, stillOpen } = setUp({ fields: { what: 'still' } })
  const file = await extract()
  assert.equal(nameAndType(file), ['IMG_20260304_050607.jpg', 'image/jpeg'])
  await file.body.cancel()
  assert.is(stillOpen(), 0, 'an answer that is not read removes the photo, too')
})

test('an animation is made as a job of the queue', async () => {
  for (const what of ['gif', 'webp']) {
    const { extract, stillOpen, tasks, kinds } = setUp({ fields: { what } })
    const file = await extract()
    assert.equal(nameAndType(file), [`IMG_20260304_050607.${what}`, `image/${what}`])
    assert.equal([kinds, tasks.length, file.size], [['convert'], 1, GIF.length])
    equalBytes(await bytesOf(file), GIF)
    assert.is(stillOpen(), 0)
  }
})

test('a video that is too large to be animated is refused before it is read', async () => {
  const rest = 128 * 1024 * 1024
  const total = phoneClip.length + rest
  const head = concatBytes([withDirectory(video(total)), phoneClip, encodeBoxHeader('free', rest)])
  const { source: zeros, reads } = countingSource(zerosSource(rest - 8))
  const { extract, stillOpen, tasks } = setUp({
    photo: joinSources([bytesSource(head), zeros]),
    fields: { what: 'gif' },
  })
  assert.is(await codeOf(extract()), 'payload-too-large')
  assert.equal([tasks.length, stillOpen()], [0, 0])
  assert.ok(reads.reduce((sum, [start, end]) => sum + end - start, 0) < 1e6)
})

test('a motion photo is repaired for its profile, a Live Photo as the two files that it is', async () => {
  for (const [profile, hasTrailer] of [
    ['google', false],
    ['', true],
  ] as const) {
    const { repair, stillOpen } = setUp({ photo: GOOGLE, fields: { profile } })
    const file = await repair()
    assert.equal(nameAndType(file), ['IMG_20260304_050607_MP.jpg', 'image/jpeg'])
    const { marks } = await setUp({ photo: await bytesOf(file) }).inspect()
    assert.equal([marks.motion_photo, marks.samsung, stillOpen()], [true, hasTrailer, 0])
  }
  const pair = setUp({ photo: LIVE_PHOTO })
  const zip = await pair.repair()
  assert.equal(nameAndType(zip), ['IMG_20260304_050607.zip', 'application/zip'])
  assert.is((await bytesOf(zip)).length, zip.size)
  assert.is(pair.stillOpen(), 0)
})

test('nothing is left of a photo that is refused, with the code of the refusal', async () => {
  for (const [code, sent, how] of [
    ['unprocessable', { fields: { what: 'sound' } }, 'extract'],
    ['unprocessable', { fields: { profile: 'apple' } }, 'repair'],
    ['unprocessable', { photo: LIVE_PHOTO, fields: { profile: 'google' } }, 'repair'],
    ['unprocessable', { photo: baselineJpeg }, 'extract'],
    ['unsupported-media', { photo: GIF }, 'inspect'],
    ['unprocessable', { fields: { what: 'gif' }, ffmpeg: { exitCode: 1 } }, 'extract'],
    [
      'unavailable',
      { fields: { what: 'webp' }, ffmpeg: { exitCode: 1, stderr: 'Unknown encoder' } },
      'extract',
    ],
  ] as const) {
    const done = setUp(sent)
    assert.equal([await codeOf(done[how]()), done.stillOpen()], [code, 0])
  }
})

test('a host that stops ends the work, with its reason', async () => {
  for (const how of ['inspect', 'extract', 'repair'] as const) {
    const done = setUp()
    const reason = new Error('the host stops')
    done.stopping.abort(reason)
    assert.is(await done[how]().catch((error: unknown) => error), reason)
    assert.is(done.stillOpen(), 0)
  }
})

test.run()
