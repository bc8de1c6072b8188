import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '#core/errors'
import { assembleMotionPhoto } from '#core/formats/motionPhoto/assemble'
import { readMediaConfig } from '#core/media/config'
import { codeOf } from '#support/media/prepared'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { userFiles } from '../../../../local-runner/cli/compose'
import type { Tools } from '../../../../local-runner/cli/motionPhotoDependencies'
import type { PhotoCommand } from '../../../../local-runner/cli/photoCommand'
import { runPhotoCommand } from '../../../../local-runner/cli/runPhotoCommand'
import { UsageError } from '../../../../local-runner/commandLine/readArguments'
import { livePhotoZip as LIVE_PHOTO, movie, still } from '../../formats/livePhoto/sampleLivePhoto'
import { baselineJpeg } from '../../formats/motionPhoto/sampleJpeg'
import { sampleParts } from '../../formats/motionPhoto/sampleParts'
import { fakeCommand, PHOTO } from './fakeCommand'

// As a process: tests/flows/commandLinePhotos.test.ts.

const test = suite('the commands inspect, extract and repair')

const GOOGLE = assembleMotionPhoto({ ...sampleParts, maker: 'Google', model: 'Pixel 9', profile: 'google' })

let folder = ''
const path = (name: string) => join(folder, name)
const FILES = { 'a.jpg': PHOTO, 'google.jpg': GOOGLE, 'live.zip': LIVE_PHOTO, 'still.jpg': baselineJpeg }

test.before.each(async () => {
  folder = await makeTempFolder('photo-command')
  for (const [name, bytes] of Object.entries(FILES)) await writeFile(path(name), bytes)
})
test.after.each(() => removeFolders(folder))

async function run(command: PhotoCommand, tools: Partial<Tools> = {}, maxUploadBytes?: number) {
  const { dependencies, did, stillOpen } = fakeCommand({ files: userFiles, tools })
  const { limits } = readMediaConfig({})
  const text = { stdout: '', stderr: '' }
  const io = {
    stdout: { write: (more: string) => (text.stdout += more) },
    stderr: { write: (more: string) => (text.stderr += more) },
    signal: new AbortController().signal,
  }
  const machine = {
    ...dependencies,
    limits: () => ({ ...limits, ...(maxUploadBytes !== undefined && { maxUploadBytes }) }),
  }
  const code = await runPhotoCommand(command, machine, io).finally(() =>
    assert.is(stillOpen(), 0, 'every work folder is removed'),
  )
  return { code, usesTools: did.includes('open tools'), ...text }
}

const inspect = (
  names: readonly string[],
  { json = false, donor }: { json?: boolean; donor?: string } = {},
) =>
  run({
    kind: 'inspect',
    inputs: names.map(path),
    json,
    donor: donor === undefined ? undefined : path(donor),
  })
const work = (input: string, output: string, force = false) => ({
  input: path(input),
  output: path(output),
  force,
})
const left = async () => (await readdir(folder)).filter((name) => !(name in FILES))

test('a verdict names the file, its video, and of each gallery what is wrong and how it is repaired', async () => {
  const { code, stdout, stderr } = await inspect(['google.jpg'])
  assert.equal([code, stderr], [0, ''])
  const [first, ...lines] = stdout.split('\n')
  assert.match(first ?? '', /google\.jpg: jpeg, video avc1, 0\.2 s, \d+ bytes at \d+$/)
  assert.ok(lines.includes('  google   yes'), stdout)
  assert.match(stdout, /^ {2}xiaomi {3}no\n {11}EXIF does not have Xiaomi's tag 0x8897\. Repair: write tag/m)
})

test('with a donor it names the phone and what differs', async () => {
  const { stdout } = await inspect(['a.jpg'], { donor: 'google.jpg' })
  assert.match(stdout, /^ {2}donor {4}Google Pixel 9, google; --profile google$/m)
  assert.match(stdout, /^ {11}.*: .*; donor: .*$/m)
  const { stdout: json } = await inspect(['a.jpg'], { donor: 'google.jpg', json: true })
  const found = JSON.parse(json)
  assert.equal([found.file, found.donor.model], [path('a.jpg'), 'Pixel 9'])
})

test('of several files one that is refused is told, and the others are judged; a single one is thrown', async () => {
  const { code, stdout, stderr } = await inspect(['still.jpg', 'a.jpg', 'none.jpg'], { json: true })
  assert.is(code, 1)
  assert.equal(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).file),
    [path('a.jpg')],
  )
  const told = stderr.trim().split('\n')
  assert.is(told.length, 2)
  assert.match(told[0] ?? '', /^motion-photo: .*still\.jpg: /)
  assert.match(told[1] ?? '', /^motion-photo: .*none\.jpg: There is no such file/)
  assert.is(await codeOf(inspect(['none.jpg'])), 'not-found')
})

test('what is taken out is written as it is, without ffmpeg', async () => {
  for (const [what, input, output, expected] of [
    ['clip', 'a.jpg', 'a.mp4', sampleParts.clip],
    ['clip', 'live.zip', 'live.mov', movie],
    ['still', 'live.zip', 'live.jpg', still],
  ] as const) {
    const { code, stdout, usesTools } = await run({ kind: 'extract', what, ...work(input, output) })
    assert.equal([code, stdout, usesTools], [0, `${path(output)}\n`, false])
    equalBytes(await readFile(path(output)), expected)
  }
})

test('an animation is made of the clip; the work folder goes, also when that fails', async () => {
  const GIF = Uint8Array.of(1, 2, 3)
  const asked: string[] = []
  const animate: Tools['animate'] = async (clip, kind) => {
    asked.push(`${clip} ${kind}`)
    return GIF
  }
  await run({ kind: 'extract', what: 'gif', ...work('a.jpg', 'a.gif') }, { animate })
  assert.equal(asked, ['/work/clip.mp4 gif'])
  equalBytes(await readFile(path('a.gif')), GIF)
  const fails = run(
    { kind: 'extract', what: 'webp', ...work('a.jpg', 'a.webp') },
    { animate: () => Promise.reject(new ServiceError('unprocessable', 'It cannot be decoded.')) },
  )
  assert.equal([await codeOf(fails), await left()], ['unprocessable', ['a.gif']])
})

test('a repair tells which galleries recognise the photo before and after', async () => {
  const { stdout, stderr } = await run({
    kind: 'repair',
    profile: undefined,
    ...work('google.jpg', 'google_repaired_MP.jpg'),
  })
  assert.is(stdout, `${path('google_repaired_MP.jpg')}\n`)
  assert.match(stderr, /^recognised by google, samsung, xiaomi, oppo, vivo; before: google/)
  equalBytes(await readFile(path('google.jpg')), GOOGLE)
})

test('a Live Photo is repaired into a ZIP or a bundle, and nothing else into one of these', async () => {
  const repair = (input: string, output: string) =>
    run({ kind: 'repair', profile: undefined, ...work(input, output) })
  await repair('live.zip', 'b.zip')
  assert.is((await readFile(path('b.zip'))).toString('latin1', 0, 2), 'PK')
  await repair('live.zip', 'b.pvt')
  assert.equal((await readdir(path('b.pvt'))).sort(), ['b.JPG', 'b.MOV', 'metadata.plist'])
  for (const [input, output, says] of [
    ['live.zip', 'c.jpg', /ends in \.zip or \.pvt/],
    ['google.jpg', 'c.zip', /ends in \.jpg/],
  ] as const) {
    const refused = await repair(input, output).catch((error: unknown) => error)
    assert.instance(refused, UsageError)
    assert.match(String(refused), says)
  }
  assert.equal(await left(), ['b.pvt', 'b.zip'])
})

test('no file is overwritten, and none that is too large is read', async () => {
  const over = (input: string, output: string, force = false) =>
    run({ kind: 'repair', profile: undefined, ...work(input, output, force) })
  assert.is(await codeOf(over('google.jpg', 'still.jpg')), 'conflict')
  assert.is(await codeOf(over('google.jpg', 'google.jpg', true)), 'invalid-request')
  equalBytes(await readFile(path('still.jpg')), baselineJpeg)
  assert.is((await over('google.jpg', 'still.jpg', true)).code, 0)
  const large = run({ kind: 'inspect', inputs: [path('a.jpg')], json: false, donor: undefined }, {}, 10)
  assert.is(await codeOf(large), 'payload-too-large')
})

test('the help of each is printed', async () => {
  for (const about of ['inspect', 'extract', 'repair'] as const) {
    const { code, stdout } = await run({ kind: 'photo help', about })
    assert.is(code, 0)
    assert.match(stdout, `motion-photo ${about}`)
  }
})

test.run()
