import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { encodeSegment, walkJpeg } from '@lantern-room/formats/pictures'
import sharp from 'sharp'
import { exiftool } from '#support/media/exiftool'
import { heicFile } from '#support/media/heicFile'
import { film, mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { mustRunProgram } from '#support/process/commandLine'
import { projectRoot } from '#support/process/serverProcess'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'

// Photos with a depth map before their gain map, as phones write them, before exiftool.

const test = suite('gain maps among other pictures', { timeoutMs: 240_000 })

const media = await mediaFolderOfSuite()
const fixture = (name: string) => join(projectRoot, 'tests/fixtures/media', `${name}.jpg`)

/** The value of a tag in what another tag holds. */
async function valueIn(path: string, holder: string, tag: string): Promise<string> {
  const held = await media.write('held.jpg', await exiftool('-b', `-${holder}`, path))
  return (await exiftool('-s3', `-${tag}`, held)).toString().trim()
}

async function directoryOf(path: string): Promise<readonly string[]> {
  const names = ['Semantic', 'Length', 'Padding'].map((name) => `-DirectoryItem${name}`)
  return (await exiftool('-s3', ...names, path)).toString().trim().split('\n')
}

test('without its clip the photo keeps both maps, and each is what it is called', async () => {
  const motion = fixture('motion-depth-gainmap')
  const still = media.path('still.jpg')
  await mustRunProgram(['extract', '--what', 'still', motion, '-fo', still])
  const bytes = await readFile(motion)
  equalBytes((await readFile(still)).subarray(-1079 - 1550), bytes.subarray(7384, 7384 + 1079 + 1550))
  assert.equal(await directoryOf(still), ['Primary, Depth, GainMap', '0, 1079, 1550', '0, 0, 0'])
  assert.is(await valueIn(still, 'GainMapImage', 'GainMapMax'), '2')
  assert.is(await valueIn(still, 'MPImage3', 'GainMapMax'), '2')
  assert.is(await valueIn(still, 'MPImage2', 'GainMapMax'), '')
  const folder = media.path('stripped')
  await mustRunProgram(['strip', motion, '--out', folder])
  equalBytes(await readFile(join(folder, 'motion-depth-gainmap.jpg')), await readFile(still))
})

test('a pair keeps the gain map, which is not the first of the pictures behind the photo', async () => {
  const video = await media.make('video.mp4', film('160x90', 2))
  const made = media.path('pair.jpg')
  await mustRunProgram([fixture('ultrahdr-depth-first'), video, '-qfo', made])
  assert.match((await directoryOf(made))[0] ?? '', /^Primary, GainMap, MotionPhoto$/)
  equalBytes(
    new Uint8Array(await exiftool('-b', '-MPImage2', made)),
    new Uint8Array(await exiftool('-b', '-MPImage3', fixture('ultrahdr-depth-first'))),
  )
})

/** A grey picture, a quarter of the photo's size for the map, with a white part that lies at the same place in both. */
async function marked(scale: number, grey: number): Promise<Buffer> {
  const [width, height] = [640 / scale, 360 / scale]
  const pixels = Buffer.alloc(width * height).map((_, i) => {
    const [x, y] = [(i % width) * scale, Math.floor(i / width) * scale]
    return x >= 200 && x < 400 && y >= 100 && y < 200 ? 255 : grey
  })
  return sharp(pixels, { raw: { width, height, channels: 1 } })
    .jpeg({ quality: 95 })
    .toBuffer()
}

test('a gain map is cropped and turned with its picture, and keeps its numbers', async () => {
  const numbers = asciiBytes(
    'http://ns.adobe.com/xap/1.0/\0<x hdrgm:GainMapMax="2" hdrgm:HDRCapacityMax="2"/>',
  )
  const iso = concatBytes([asciiBytes('urn:iso:std:iso:ts:21496:-1\0'), new Uint8Array(61).fill(7)])
  const map = await marked(4, 0)
  const said = [encodeSegment(0xe1, numbers), encodeSegment(0xe2, iso)]
  const photo = await media.write(
    'bright.jpg',
    concatBytes([await marked(1, 90), map.subarray(0, 2), ...said, map.subarray(2)]),
  )
  await exiftool(
    '-q',
    '-overwrite_original',
    '-DateTimeOriginal=2024:01:14 14:30:12',
    '-Orientation#=6',
    photo,
  )
  const video = await media.make('upright.mp4', film('90x160', 2))
  for (const [name, ...edit] of [
    ['square', '--crop', '1:1'],
    ['turned', '--crop', '1:2', '--rotate', '90'],
  ] as const) {
    const made = media.path(`${name}.jpg`)
    await mustRunProgram([photo, video, '-qfo', made, ...edit])
    const held = await exiftool('-b', '-MPImage2', made)
    assert.ok(
      said.every((segment) => held.includes(Buffer.from(segment))),
      name,
    )
    const { data, info } = await sharp(held).extractChannel(0).raw().toBuffer({ resolveWithObject: true })
    const picture = sharp(made).resize(info.width, info.height, { kernel: 'cubic' }).greyscale().raw()
    const shown = await picture.toBuffer()
    const apart = shown.filter((grey, i) => grey > 172 !== (data[i] ?? 0) > 127).length
    assert.ok(shown.filter((grey) => grey > 172).length > 200, name)
    assert.ok(apart < shown.length / 50, `${name}: ${apart} of ${shown.length}`)
  }
})

/** A photo without the pictures behind its first one. */
async function cutOff(path: string): Promise<string> {
  const bytes = await readFile(path)
  return media.write('without map.jpg', bytes.subarray(0, walkJpeg(bytes)?.end))
}

async function lostOf(name: string, ...args: string[]): Promise<unknown> {
  const { stdout, stderr } = await mustRunProgram([...args, '--json', '-fo', media.path(name)])
  const lost = JSON.parse(stdout).metadata_lost
  assert.is(/could not be kept/.test(stderr), lost !== undefined, stderr)
  return lost
}

test('a gain map and other pictures that cannot be kept are named', async () => {
  const video = await media.make('named.mp4', film('160x90', 2))
  const all = ['--metadata', 'all']
  assert.equal(await lostOf('depth.jpg', fixture('motion-depth-gainmap'), ...all), ['depth'])
  const both = fixture('ultrahdr-depth-first')
  assert.equal(await lostOf('behind.jpg', both, video), ['depth'])
  assert.equal(await lostOf('live.zip', both, video, '--profile', 'apple'), ['depth', 'gain-map'])
  // A program that knows of no gain map has cut it off, and left what the photo says of it.
  const cut = await cutOff(fixture('ultrahdr-depth-first'))
  assert.equal(await lostOf('cut off.jpg', cut, video), ['gain-map', 'depth'])
  const map = asciiBytes('http://ns.adobe.com/xap/1.0/\0<x hdrgm:GainMapMax="2" hdrgm:HDRCapacityMax="2"/>')
  const damaged = concatBytes([await marked(4, 0)]).slice()
  damaged.fill(0xff, damaged.length - 400, damaged.length - 2)
  const bytes = [await marked(1, 90), damaged.subarray(0, 2), encodeSegment(0xe1, map), damaged.subarray(2)]
  const photo = await media.write('unreadable map.jpg', concatBytes(bytes))
  assert.equal(await lostOf('whole.jpg', photo, video), undefined)
  for (const metadata of ['all', 'none'])
    assert.equal(
      await lostOf('cut.jpg', photo, video, '--crop', '1:1', '--metadata', metadata),
      ['gain-map'],
      metadata,
    )
})

test.skipUnless(...withEncoder('libx265'))(
  'of a HEIC that becomes a JPEG its other pictures are named',
  async () => {
    const video = await media.make('beside.mp4', film('64x48', 2))
    const stream = await media.make('one.hevc', [
      ...['-f', 'lavfi', '-i', 'testsrc2=size=64x48:d=0.04', '-frames:v', '1', '-c:v', 'libx265'],
      ...['-x265-params', 'log-level=none:keyint=1', '-pix_fmt', 'yuv420p', '-f', 'hevc'],
    ])
    const picture = await readFile(stream)
    for (const [kind, lost] of [
      ['urn:mpeg:hevc:2015:auxid:2', 'depth'],
      ['urn:com:apple:photo:2018:aux:portraiteffectsmatte', 'pictures'],
      // Without the numbers of its phone.
      ['urn:com:apple:photo:2020:aux:hdrgainmap', 'gain-map'],
    ] as const) {
      const auxiliary = { stream: picture, kind }
      const file = heicFile({ streams: [picture], tile: { width: 64, height: 48 }, auxiliary })
      const heic = await media.write('beside.heic', file)
      assert.equal(await lostOf('of heic.jpg', heic, video), [lost])
      assert.is(await lostOf('kept.heic', heic, video, '--format', 'keep'), undefined)
    }
  },
)

test.run()
