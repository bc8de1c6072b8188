import { copyFile, mkdir, readdir, readFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { readHeicPicture } from '@lantern-room/formats/pictures'
import sharp from 'sharp'
import { exiftool } from '#support/media/exiftool'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { mustRunProgram, runProgram } from '#support/process/commandLine'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'

// HEICs that libheif has written, cropped, turned and in other colours than sRGB, become JPEGs that libvips and exiftool judge. What
// they show is that of libheif's own decoder.

const test = suite('pictures of HEICs', { timeoutMs: 240_000 })

const media = await mediaFolderOfSuite()
const fixture = (name: string) => join(projectRoot, 'tests/fixtures/media', `${name}.heic`)
let video = ''

test.before(async () => {
  video = await media.make('video.mp4', film('160x90', 2))
})

async function made(name: string, ...args: string[]): Promise<string> {
  await mustRunProgram([...args, '-qfo', media.path(name)])
  return media.path(name)
}

async function sizeOf(path: string): Promise<readonly [number, number]> {
  const { width, height } = await sharp(path).metadata()
  return [width, height]
}

/** The colours in sRGB at these shares of width and height, by the profile in the file. */
async function coloursAt(path: string, ...places: readonly (readonly [number, number])[]) {
  const { data, info } = await sharp(path).raw().toBuffer({ resolveWithObject: true })
  return places.map(([x, y]) => {
    const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels
    return [...data.subarray(at, at + 3)]
  })
}

function assertNear(found: readonly number[][], wanted: readonly number[][], most: number): void {
  const apart = found.flatMap((colour, i) =>
    colour.map((value, c) => Math.abs(value - (wanted[i]?.[c] ?? 0))),
  )
  assert.ok(Math.max(...apart) <= most, `${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`)
}

test('what a person cropped away does not come back, in no way of making a photo', async () => {
  const clap = fixture('clap')
  const sizes = [
    await made('pair.jpg', clap, video),
    await made('cover.jpg', video, '--cover-file', clap),
    await made('live.pvt', clap, video, '--profile', 'apple').then((folder) => join(folder, 'live.JPG')),
  ]
  for (const path of sizes) assert.equal(await sizeOf(path), [320, 180], path)
  const kept = await readFile(await made('kept.heic', clap, video, '--format', 'keep'))
  assert.equal(readHeicPicture(kept)?.steps, [{ x: 160, y: 90, width: 320, height: 180 }])
  const half = await made('half.jpg', clap, video, '--crop', '1:1')
  assert.equal(await sizeOf(half), [180, 180])
})

test('an upright picture has its sizes in EXIF as it lies in the JPEG', async () => {
  const photo = await made('rotated.jpg', fixture('rotated'), video)
  assert.equal(await sizeOf(photo), [360, 640])
  const names = ['-ExifImageWidth', '-ExifImageHeight', '-Orientation', '-DateTimeOriginal', '-Make']
  const tags = (await exiftool('-n', '-s3', ...names, photo)).toString().trim().split('\n')
  assert.equal(tags, ['360', '640', '1', '2024:01:14 14:30:12', 'Apple'])
})

test('colours that are told by numbers alone get a profile of them', async () => {
  const red = [[0.07, 0.07]] as const
  const photo = await made('p3.jpg', fixture('p3-nclx'), video)
  assertNear(await coloursAt(photo, ...red), [[250, 31, 16]], 6)
  const [profile] = (await exiftool('-s3', '-ProfileDescription', photo)).toString().trim().split('\n')
  assert.is(profile, 'Display P3')
  assert.is(
    (await exiftool('-s3', '-ICC_Profile:ProfileDescription', await made('s.jpg', fixture('clap'), video)))
      .length,
    0,
  )
  // Red, green, blue, white, grey and brown of BT.2020; what sRGB cannot show is clipped.
  const wide = await made('wide.jpg', fixture('bt2020-nclx'), video)
  const patches = [0, 1, 2, 3, 4, 5].map((i) => [(i + 0.5) / 6, 0.5] as const)
  const expected = [
    [255, 0, 1],
    [0, 211, 0],
    [0, 20, 231],
    [240, 240, 240],
    [128, 128, 128],
    [237, 105, 40],
  ]
  assertNear(await coloursAt(wide, ...patches), expected, 6)
  const cropped = await made('wide part.jpg', video, '--cover-file', fixture('bt2020-nclx'), '--crop', '2:1')
  assert.match((await exiftool('-s3', '-ProfileDescription', cropped)).toString(), /BT.2020/)
})

test('PQ and HLG are mapped to standard range by the curves of videos', async () => {
  // White of 203 cd/m², a quarter, five times as much, and brown, after the curve of `core/media/ffmpeg/hdr.ts`.
  const patches = [0, 1, 2, 5].map((i) => [(i + 0.5) / 6, 0.5] as const)
  const expected = [
    [233, 233, 233],
    [142, 142, 142],
    [253, 253, 253],
    [214, 134, 87],
  ]
  for (const name of ['pq-nclx', 'hlg-nclx'])
    assertNear(await coloursAt(await made(`${name}.jpg`, fixture(name), video), ...patches), expected, 4)
})

test('no column and no row of odd sides is lost', async () => {
  const turned = await made('odd.jpg', fixture('odd-turned'), video)
  assert.equal(await sizeOf(turned), [77, 99])
  // Magenta is the last row of the picture, which was its first column, and cyan the last column, which was its last row.
  const [[red = 0, green = 0, blue = 0] = [], [r = 0, , b = 0] = []] = await coloursAt(
    turned,
    [0.5, 98.5 / 99],
    [76.5 / 77, 0.5],
  )
  assert.ok(red > green + 60 && blue > green + 60, String([red, green, blue]))
  assert.ok(b > r + 40, String([r, b]))
})

test('a HEIC whose colours cannot be converted is refused with a sentence', async () => {
  const bytes = await readFile(fixture('p3-nclx'))
  bytes.writeUInt16BE(8, bytes.indexOf('nclx') + 8)
  const strange = await media.write('strange.heic', bytes)
  const { exit, stderr } = await runProgram([video, '--cover-file', strange, '-qfo', media.path('no.jpg')])
  assert.is(exit, 1)
  assert.match(stderr, /colours are of a kind that cannot be converted here\. Send a JPEG/)
})

test('the edited picture beside an iPhone photo is said to be left out, and can be named', async () => {
  const folder = media.path('edited')
  await mkdir(folder)
  for (const name of ['IMG_0001.HEIC', 'IMG_E0001.HEIC'])
    await copyFile(fixture('rotated'), join(folder, name))
  await copyFile(video, join(folder, 'IMG_0001.mp4'))
  const { stderr } = await mustRunProgram([folder, '--out', media.path('of edited')])
  assert.match(stderr, /1 skipped: the edited picture of a photo: name it with its video to use it/)
  const named = await made('named.jpg', join(folder, 'IMG_E0001.HEIC'), join(folder, 'IMG_0001.mp4'))
  assert.equal(await sizeOf(named), [360, 640])
})

test('with --format keep the content of a photo decides, and not the ending of its name', async () => {
  const folder = media.path('lies')
  await mkdir(folder)
  for (const [name, photo] of [
    ['A.jpg', fixture('rotated')],
    ['B.HEIC', join(projectRoot, 'tests/fixtures/media/ultrahdr-depth-first.jpg')],
  ] as const) {
    await copyFile(photo, join(folder, name))
    await copyFile(video, join(folder, `${parse(name).name}.mp4`))
    await mustRunProgram([
      join(folder, name),
      join(folder, `${parse(name).name}.mp4`),
      '--format',
      'keep',
      '-q',
    ])
  }
  const made = (await readdir(folder)).filter((name) => name.includes('_MP')).sort()
  assert.equal(made, ['A_MP.HEIC', 'B_MP.jpg'])
  assert.equal((await sharp(join(folder, 'B_MP.jpg')).metadata()).format, 'jpeg')
  assert.equal(readHeicPicture(await readFile(join(folder, 'A_MP.HEIC')))?.steps, ['right'])
  const given = [
    join(folder, 'B.HEIC'),
    join(folder, 'B.mp4'),
    '--format',
    'keep',
    '-qo',
    media.path('b.heic'),
  ]
  const { exit, stderr } = await runProgram(given)
  assert.is(exit, 1)
  assert.match(stderr, /The photo is a JPEG: name it with --output, ending in \.jpg/)
})

test.run()
