import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { openFileSource } from '#core/adapters/files/fileSource'
import { createWorkFolders } from '#core/adapters/files/workFolders'
import { ServiceError } from '#core/errors'
import { assembleMotionPhoto } from '#core/formats/motionPhoto/assemble'
import type { ClipSettings } from '#core/media/convert/convertClip'
import { codeOf, PLAIN_CLIP } from '#support/media/prepared'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { userFiles } from '../../../../local-runner/cli/compose'
import { localZone, makeMotionPhoto } from '../../../../local-runner/cli/makeMotionPhoto'
import type { Tools } from '../../../../local-runner/cli/motionPhotoDependencies'
import type { Options } from '../../../../local-runner/cli/motionPhotoOptions'
import { UsageError } from '../../../../local-runner/commandLine/readArguments'
import { still } from '../../formats/livePhoto/sampleLivePhoto'
import { sampleParts } from '../../formats/motionPhoto/sampleParts'
import { fakeCommand, PHOTO, VIDEO } from './fakeCommand'

// With real files, and without ffmpeg. With it: tests/flows/commandLine.test.ts.

const test = suite('making a motion photo of a file')

let folder = ''
const path = (name: string) => join(folder, name)

let workFolder = ''

test.before.each(async () => {
  workFolder = await makeTempFolder('work')
  folder = await makeTempFolder('make-photo')
  await writeFile(path('a.gif'), 'GIF89a')
})
test.after.each(async () => {
  assert.equal(await readdir(workFolder), [], 'every work folder is removed')
  await removeFolders(folder, workFolder)
})

/** @param changes options that differ from `motion-photo a.gif -o a.jpg` */
function setUp(changes: Partial<Options> = {}, tools: Partial<Tools> = {}, stdin = '') {
  const settings: ClipSettings[] = []
  const stages: string[] = []
  const { dependencies, did } = fakeCommand({
    files: userFiles,
    tools: {
      workFolders: createWorkFolders({ folder: workFolder, prefix: 'test.' }),
      ...tools,
      async convertClip(materials, given, task) {
        settings.push(given)
        if (tools.convertClip) return tools.convertClip(materials, given, task)
        return {
          files: [{ name: 'photo.jpg', contentType: 'image/jpeg', bytes: PHOTO }],
          photo: PHOTO,
          ...PLAIN_CLIP,
          presentationTimestampUs: 100_000,
        }
      },
    },
  })
  const stopping = new AbortController()
  const progress = {
    stage: (...stage: readonly (string | undefined)[]) => void stages.push(stage.filter(Boolean).join(' ')),
    share() {},
    end() {},
  }
  const options = { ...VIDEO, input: path('a.gif'), output: path('a.jpg'), ...changes }
  const make = () =>
    makeMotionPhoto(options, dependencies, {
      stdin: Readable.from([Buffer.from(stdin)]),
      progress,
      signal: stopping.signal,
    })
  return { make, did, settings, stages, stopping }
}

const sentenceOf = async (work: Promise<unknown>) => {
  const error = await work.catch((thrown: unknown) => thrown)
  assert.instance(error, Error)
  return (error as Error).message
}

test('the photo is written whole, dated as it was taken, and every stage is shown', async () => {
  const capturedAt = { unixMs: Date.UTC(2024, 4, 6, 7, 8, 9), offsetMinutes: 120 }
  const origin = { ...VIDEO.origin, capturedAt }
  const { make, stages } = setUp({ origin })
  const { output, bytes, taken_at } = await make()
  assert.equal([output, bytes, taken_at], [path('a.jpg'), PHOTO.length, '2024-05-06T09:08:09+02:00'])
  equalBytes(await readFile(output), PHOTO)
  assert.is((await stat(output)).mtimeMs, capturedAt.unixMs)
  assert.equal(stages, ['reading a.gif', 'preparing', 'converting', 'writing a.jpg'])
  assert.equal(await readdir(folder), ['a.gif', 'a.jpg'])
})

test('what can be refused is, before there are tools', async () => {
  await writeFile(path('there.jpg'), 'kept')
  await writeFile(path('text.gif'), 'Dear Sir or Madam')
  const cases = [
    [{ start: 2, end: 1 }, undefined],
    [{ output: path('there.jpg') }, 'conflict'],
    [{ output: path('a.gif'), force: true }, 'invalid-request'],
    [{ input: path('none.gif') }, 'not-found'],
    [{ input: path('text.gif') }, 'invalid-request'],
  ] as const
  for (const [changes, code] of cases) {
    const { make, did } = setUp(changes)
    const refused = await make().catch((error: unknown) => error)
    if (code === undefined) assert.instance(refused, UsageError)
    else assert.is(refused instanceof ServiceError && refused.code, code)
    assert.equal(did, [])
  }
  assert.is(await readFile(path('there.jpg'), 'utf8'), 'kept')
})

test('standard input is saved, sniffed and read; what it is refused for names it', async () => {
  const { make, stages } = setUp({ input: undefined }, {}, 'GIF89a')
  await make()
  assert.is(stages[0], 'reading standard input')
  assert.ok((await readdir(folder)).includes('a.jpg'))
  const refused = setUp({ input: undefined, output: path('b.jpg') }, {}, 'Dear Sir or Madam')
  assert.match(await sentenceOf(refused.make()), /^standard input: /)
  assert.equal(await readdir(folder), ['a.gif', 'a.jpg'])
})

test('a donor decides over profile and marks, a profile that was given over the donor', async () => {
  const donor = path('donor.jpg')
  const parts = { ...sampleParts, maker: 'Google', model: 'Pixel 9' }
  await writeFile(donor, assembleMotionPhoto({ ...parts, profile: 'google' }))
  for (const [changes, profile] of [
    [{}, 'google'],
    [{ isProfileGiven: true, profile: 'huawei' }, 'huawei'],
  ] as const) {
    const { make, settings } = setUp({ donor, force: true, ...changes })
    await make()
    const used = settings.map((one) => [one.profile, one.origin.maker, one.origin.model])
    assert.equal(used, [[profile, 'Google', 'Pixel 9']])
  }
})

test("an iPhone's photo as donor needs the profile to be named, since that names the output", async () => {
  const donor = path('donor.jpg')
  await writeFile(donor, still)
  const { make } = setUp({ donor })
  const refused = await make().catch((error: unknown) => error)
  assert.instance(refused, UsageError)
  assert.match(String(refused), '--profile apple')
})

test('a picture that is no picture, and one that is too large, are refused by their names', async () => {
  const coverFile = path('cover.jpg')
  await writeFile(coverFile, 'text')
  assert.match(await sentenceOf(setUp({ coverFile }).make()), /cover\.jpg: It /)
  await writeFile(coverFile, PHOTO)
  const large = await openFileSource(coverFile)
  const { dependencies } = fakeCommand({ files: { openPhoto: async () => ({ ...large, size: 2 ** 30 }) } })
  const order = { ...VIDEO, coverFile }
  const progress = { stage() {}, share() {}, end() {} }
  const { signal } = new AbortController()
  const work = makeMotionPhoto(order, dependencies, { stdin: Readable.from([]), progress, signal })
  assert.is(await codeOf(work), 'payload-too-large')
})

test('a bundle is a folder of the photo, the video and a property list', async () => {
  const bytes = Uint8Array.of(1)
  const { make } = setUp(
    { output: path('a.pvt'), profile: 'apple', isProfileGiven: true },
    {
      convertClip: async () => ({
        files: [
          { name: 'IMG_1.JPG', contentType: 'image/jpeg', bytes },
          { name: 'IMG_1.MOV', contentType: 'video/quicktime', bytes },
        ],
        photo: PHOTO,
        ...PLAIN_CLIP,
      }),
    },
  )
  await make()
  assert.equal((await readdir(path('a.pvt'))).sort(), ['a.JPG', 'a.MOV', 'metadata.plist'])
})

test('work that fails or is stopped leaves nothing behind', async () => {
  const full = setUp(
    {},
    {
      preparePreview: async () => {
        throw new ServiceError('unavailable', 'The data folder is full.', { reason: 'storage-full' })
      },
    },
  )
  assert.match(await sentenceOf(full.make()), /temporary folder.*TMPDIR/)
  const why = new Error('interrupted')
  const late = setUp({}, { convertClip: () => Promise.reject(why) })
  assert.is(await sentenceOf(late.make()), 'interrupted')
  const stopped = setUp()
  stopped.stopping.abort(why)
  assert.is(await stopped.make().catch((error: unknown) => error), why)
  assert.equal(await readdir(folder), ['a.gif'])
})

test("the machine's zone is minutes east of Greenwich, as it was at that time", () => {
  const before = process.env.TZ
  process.env.TZ = 'Europe/Berlin'
  assert.equal([Date.UTC(2026, 0, 1), Date.UTC(2026, 6, 1)].map(localZone), [60, 120])
  if (before === undefined) delete process.env.TZ
  else process.env.TZ = before
})

test.run()
