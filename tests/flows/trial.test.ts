import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { concatBytes } from '@lantern-room/base/bytes'
import { bytesOfParts, bytesSource, readNow } from '@lantern-room/formats'
import { extractFile } from '@lantern-room/formats/files'
import { stripJpeg } from '@lantern-room/formats/pictures'
import { exiftool } from '#support/media/exiftool'
import { ffmpeg, film, mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { runProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { rejection } from '#support/values/failures'
import { makeTrial, VARIANTS } from '../figures/trial'

// Photos to be tried on a phone: they and the list, by real ffmpeg and judged by other programs.

const test = suite('photos to be tried on a phone', { timeoutMs: 300_000 })
const [hasHevc] = withEncoder('libx265')

const media = await mediaFolderOfSuite()
let folder = ''
/** The names of the variants' files. */
let files: ReadonlyMap<string, string>

const path = (name: string) => media.path(name)
const fileOf = (id: string) => files.get(id) ?? ''
const listIn = (where: string) => readFile(join(where, 'README.txt'), 'utf8')

test.before(async () => {
  await media.make('video.mp4', [
    ...'-f lavfi -i testsrc2=size=320x240:rate=30:duration=5 -f lavfi -i sine=440:duration=5'.split(' '),
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '30', '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
    ...['-metadata', 'creation_time=2024-05-06T07:08:09Z'],
  ])
  await media.make('short.mp4', film('160x120', 2))
  folder = await makeTrial(path('video.mp4'), ['--time-zone', '+02:00'])
  assert.is(folder, path('video_trial'))
  const rows = (await listIn(folder)).matchAll(/^(\S+)\r\n {2}(\S+): .*\r\n {2}result: +date:\r$/gm)
  files = new Map(Array.from(rows, ([, file = '', id = '']) => [id, file]))
})

test('every photo is in the list, and so is why one was left out', async () => {
  const leftOut = hasHevc ? ['silence'] : ['hevc', 'silence']
  assert.equal(
    [...files.keys()],
    Object.keys(VARIANTS).filter((id) => !leftOut.includes(id)),
  )
  assert.equal((await readdir(folder)).sort(), [...files.values(), 'README.txt'].sort())
  assert.match(await listIn(folder), /^silence: left out, because the video has sound of its own\.\r$/m)
  assert.equal(['universal', 'name-mvimg', 'name-pxl', 'name-img', 'apple'].map(fileOf), [
    'IMG_20240506_090800_MP.jpg',
    'MVIMG_20240506_090817.jpg',
    'PXL_20240506_090818000.MP.jpg',
    'IMG_20240506_090819.jpg',
    'IMG_20240506_090822.zip',
  ])
  const { mtimeMs } = await stat(join(folder, fileOf('universal')))
  assert.is(mtimeMs, Date.parse('2024-05-06T07:08:10.500Z'))
})

/** Still or clip of a photo, or of a ZIP with a Live Photo. */
async function partOf(file: string, what: 'still' | 'clip'): Promise<Uint8Array> {
  const bytes = await readFile(join(folder, file))
  const { parts } = readNow(extractFile({ size: bytes.length }, what), bytes)
  const pieces: Uint8Array[] = []
  for await (const piece of bytesOfParts(parts, bytesSource(bytes))) pieces.push(piece)
  return concatBytes(pieces)
}

/** A hash of each picture of a clip, as ffmpeg decodes it. Equal clips are decoded once. */
const decoded = new Map<string, Promise<string[]>>()
function picturesOf(clip: Uint8Array): Promise<string[]> {
  const hash = createHash('sha256').update(clip).digest('hex')
  const pictures = decoded.get(hash) ?? decode(clip)
  decoded.set(hash, pictures)
  return pictures
}

async function decode(clip: Uint8Array): Promise<string[]> {
  const printed = await ffmpeg(['-i', 'pipe:0', '-map', '0:v:0', '-f', 'framehash', '-'], clip)
  const lines = printed
    .toString()
    .split('\n')
    .filter((line) => /^\d/.test(line))
  return lines.map((line) => line.split(',').at(-1)?.trim() ?? '')
}

test('stills are equal, and the pictures of the clips where it is said', async () => {
  const still = stripJpeg(await partOf(fileOf('universal'), 'still'))?.bytes ?? new Uint8Array()
  const pictures = await picturesOf(await partOf(fileOf('universal'), 'clip'))
  assert.is(pictures.length, 90)
  for (const [id, file] of files) {
    equalBytes(stripJpeg(await partOf(file, 'still'))?.bytes ?? new Uint8Array(), still)
    const own = await picturesOf(await partOf(file, 'clip'))
    assert.is(JSON.stringify(own) === JSON.stringify(pictures), id !== 'hevc' && id !== 'longer', id)
    assert.is(own.length, id === 'longer' ? 150 : 90, id)
  }
})

test('other programs see what differs', async () => {
  const tags = [
    '-MotionPhotoPresentationTimestampUs',
    '-UserComment',
    '-DateTimeOriginal',
    '-EmbeddedVideoFile',
  ]
  const photos = ['universal', 'no-oppo-comment', 'timestamp-milliseconds'].map((id) =>
    join(folder, fileOf(id)),
  )
  const [universal, bare, milliseconds] = JSON.parse(
    (await exiftool('-j', '-n', ...tags, ...photos)).toString(),
  )
  assert.equal([universal.UserComment, universal.DateTimeOriginal], ['oplus_8388608', '2024:05:06 09:08:10'])
  assert.is(bare.UserComment, undefined)
  assert.is(universal.MotionPhotoPresentationTimestampUs, 1_500_000)
  assert.is(milliseconds.MotionPhotoPresentationTimestampUs, 1500)
})

test('the clip without sound has none, and the silent one is as long as its pictures', async () => {
  await makeTrial(path('short.mp4'))
  const list = await listIn(path('short_trial'))
  assert.match(list, /^no-sound: left out, because the video has no sound\.\r$/m)
  assert.match(list, /^longer: left out, because the video is not longer/m)
  const silent = /^(\S+)\r\n {2}silence: /m.exec(list)?.[1] ?? ''
  const clips = [join(folder, fileOf('no-sound')), path(`short_trial/${silent}`)]
  const { stdout } = await runProgram(['inspect', '--json', ...clips])
  const [mute, padded] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).clip)
  assert.equal([mute.has_audio, padded.has_audio], [false, true])
  assert.ok(Math.abs(padded.duration - 2) < 0.03, `${padded.duration} s`)
})

test('a folder that is there already stays, and so does nothing of a video that is refused', async () => {
  const before = await readdir(folder)
  assert.match(String(await rejection(makeTrial(path('video.mp4')))), /EEXIST/)
  assert.equal(await readdir(folder), before)
  await rejection(makeTrial(path('none.mp4')))
  assert.not.ok((await readdir(media.folder)).includes('none_trial'))
})

test('the command says where it has gone', async () => {
  const { exit, stderr } = await runProgram(['trial', 'video.mp4'])
  assert.is(exit, 2)
  assert.match(stderr, /trial no longer exists: .*npm run figures -- trial VIDEO/)
})

test.run()
