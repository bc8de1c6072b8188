import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeBox } from '@lantern-room/mp4/boxes'
import sharp from 'sharp'
import { exiftool } from '#support/media/exiftool'
import { heicFile } from '#support/media/heicFile'
import { ffmpeg, film, mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { mustRunProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'

// Live Photos of which the photo was turned after it was taken, and the video was not.

const test = suite('photos turned after they were taken', { timeoutMs: 400_000 })

const media = await mediaFolderOfSuite()
let photo = ''
let movie = ''
/** The same recording, held upright: its track says so. */
let uprightMovie = ''

const MOMENT = 1.5

test.before(async () => {
  const video = await media.make('video.mp4', film('160x120', 4))
  const bundle = media.path('pair.pvt')
  await mustRunProgram([video, '--profile', 'apple', '--end', '4', '--cover', `${MOMENT}`, '-qo', bundle])
  ;[photo, movie] = [media.path('IMG_1.JPG'), media.path('IMG_1.MOV')]
  await rename(join(bundle, 'pair.JPG'), photo)
  await rename(join(bundle, 'pair.MOV'), movie)
  const upright = media.path('upright.pvt')
  await mustRunProgram([photo, movie, '--rotate', '90', '--profile', 'apple', '-qo', upright])
  uprightMovie = join(upright, 'upright.MOV')
})

/** The photo with its pixels turned and another orientation. */
async function edited(name: string, degrees: number, orientation: number): Promise<string> {
  const pixels = await sharp(photo).rotate(degrees).jpeg({ quality: 95 }).toBuffer()
  const path = await media.write(name, pixels)
  await exiftool('-q', '-overwrite_original', '-tagsFromFile', photo, '-EXIF:all', path)
  const changes = ['-MakerNotes:all=', `-Orientation#=${orientation}`]
  await exiftool('-q', '-overwrite_original', ...changes, path)
  return path
}

const SIDE = 24

const small = (path: string) =>
  sharp(path).rotate().resize(SIDE, SIDE, { fit: 'fill' }).greyscale().raw().toBuffer()

/** How far a clip's picture at a moment is from a still, as both are shown, and the clip's shape. */
async function apart(still: string, clip: string, seconds: number) {
  const frame = media.path('frame.png')
  await ffmpeg(['-ss', `${seconds}`, '-i', clip, '-frames:v', '1', '-y', frame])
  const [shown, moving] = [await small(still), await small(frame)]
  const total = shown.reduce((sum, grey, i) => sum + Math.abs(grey - (moving[i] ?? 0)), 0)
  const { width, height } = await sharp(frame).metadata()
  return { apart: total / shown.length, size: `${width}x${height}` }
}

async function clipOf(path: string): Promise<string> {
  return media.write('clip.mp4', await exiftool('-b', '-MotionPhotoVideo', path))
}

async function isAlike(what: string, made: string, seconds = MOMENT): Promise<string> {
  const found = await apart(made, await clipOf(made), seconds)
  assert.ok(found.apart < 12, `${what}: ${found.apart}`)
  return found.size
}

async function make(name: string, ...args: string[]) {
  const output = media.path(name)
  const { stdout } = await mustRunProgram([...args, '--json', '-fo', output])
  return { output, turn: JSON.parse(stdout).clip_turned }
}

test('the clip lies as the photo does, however that was turned', async () => {
  for (const [degrees, orientation, video, turn, size] of [
    [0, 1, movie, undefined, '160x120'],
    [0, 6, movie, 90, '120x160'],
    [0, 3, movie, 180, '160x120'],
    [0, 8, movie, 270, '120x160'],
    [90, 1, movie, 90, '120x160'],
    [270, 1, movie, 270, '120x160'],
    [90, 6, movie, 180, '160x120'],
    [0, 6, uprightMovie, undefined, '120x160'],
    [90, 1, uprightMovie, undefined, '120x160'],
    [0, 1, uprightMovie, 270, '160x120'],
    [180, 1, uprightMovie, 90, '160x120'],
    [270, 1, uprightMovie, 180, '120x160'],
  ] as const) {
    const what = `pixels ${degrees}, orientation ${orientation}, ${video === movie ? 'lying' : 'upright'}`
    const still = await edited('still.jpg', degrees, orientation)
    const made = await make('made.jpg', still, video)
    assert.is(made.turn, turn, what)
    assert.is(await isAlike(what, made.output), size, what)
  }
})

test('a crop, a rotation and an encoded clip follow the turned photo', async () => {
  const still = await edited('turned.jpg', 90, 1)
  for (const [size, ...edit] of [
    ['120x120', '--crop', '1:1'],
    ['160x80', '--crop', '80x160+20+0', '--rotate', '90'],
    ['60x80', '--crop', '60x80+10+70'],
    ['160x120', '--rotate', '90'],
    ['120x160', '--repeat', '2', '--mute'],
  ] as const) {
    const made = await make('edited.jpg', still, movie, ...edit)
    assert.is(await isAlike(edit.join(' '), made.output), size, edit.join(' '))
  }
  const other = await edited('turned back.jpg', 270, 1)
  const part = await make('part.jpg', other, movie, '--crop', '60x80+10+70')
  assert.is(await isAlike('270', part.output), '60x80')
})

test('as a Live Photo, of a motion photo, and in a folder it is the same', async () => {
  const still = await edited('IMG_2.JPG', 90, 1)
  const bundle = await make('live.pvt', still, movie, '--profile', 'iphone')
  assert.is(bundle.turn, 90)
  const [jpeg, mov] = [join(bundle.output, 'live.JPG'), join(bundle.output, 'live.MOV')]
  const found = await apart(jpeg, mov, MOMENT)
  assert.ok(found.apart < 12 && found.size === '120x160', JSON.stringify(found))
  const again = await make('again.jpg', jpeg, mov)
  assert.is(again.turn, undefined)
  await mkdir(media.path('in'))
  await media.write('in/IMG_2.JPG', await readFile(still))
  await media.write('in/IMG_2.MOV', await readFile(movie))
  await mustRunProgram([media.path('in'), '--out', media.path('out'), '-q'])
  assert.is(await isAlike('folder', media.path('out/IMG_2_MP.jpg')), '120x160')
})

test('a photo that shows something else, or a part, leaves its clip as it is', async () => {
  const other = await media.make('other.jpg', ['-f', 'lavfi', '-i', 'mandelbrot=s=120x160', '-frames:v', '1'])
  const part = media.path('part of it.jpg')
  await sharp(photo).extract({ left: 35, top: 0, width: 90, height: 120 }).jpeg().toFile(part)
  for (const still of [other, part]) {
    await exiftool('-q', '-overwrite_original', '-tagsFromFile', photo, '-EXIF:all', still)
    assert.is((await make('left.jpg', still, movie)).turn, undefined, still)
  }
})

test.skipUnless(...withEncoder('libx265'))(
  'a HEIC is compared as it is shown, also where it stays one',
  async () => {
    const stream = await media.make('picture.hevc', [
      ...['-i', photo, '-frames:v', '1', '-c:v', 'libx265'],
      ...['-x265-params', 'log-level=none:keyint=1', '-pix_fmt', 'yuv420p', '-f', 'hevc'],
    ])
    const streams = [await readFile(stream)]
    for (const [quarters, turn] of [
      [0, undefined],
      [1, 270],
      [2, 180],
      [3, 90],
    ] as const) {
      const properties = [encodeBox('irot', Uint8Array.of(quarters))]
      const heic = heicFile({ streams, tile: { width: 160, height: 120 }, properties })
      const still = await media.write('IMG_3.HEIC', heic)
      await exiftool('-q', '-overwrite_original', '-tagsFromFile', photo, '-EXIF:all', still)
      const made = await make('of heic.jpg', still, movie)
      assert.is(made.turn, turn, `${quarters}`)
      await isAlike(`HEIC ${quarters}`, made.output)
      assert.is((await make('kept.heic', still, movie, '--format', 'keep')).turn, turn, `kept ${quarters}`)
    }
  },
)

test.run()
