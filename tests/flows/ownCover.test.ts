import { readFile, writeFile } from 'node:fs/promises'
import { asciiBytes } from '@lantern-room/base/bytes'
import { stripJpeg } from '@lantern-room/formats/pictures'
import { readMovie } from '@lantern-room/mp4'
import { encodeBox } from '@lantern-room/mp4/boxes'
import sharp, { type Sharp } from 'sharp'
import { exiftool } from '#support/media/exiftool'
import { heicFile } from '#support/media/heicFile'
import { ffprobe, mediaFolderOfSuite, mustRun, withEncoder } from '#support/media/media'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { mustRunProgram, runProgram } from '#support/process/commandLine'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'

// Covers that are finished pictures, crops and rotations, before programs that know nothing of this one.

const test = suite('own pictures, crops and rotations', { timeoutMs: 400_000 })

const media = await mediaFolderOfSuite()
let video = ''
let still = ''

test.before(async () => {
  video = await media.make('video.mp4', [
    ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30:duration=2'],
    ...['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:duration=2'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
  ])
  still = media.path('still.jpg')
  await writeFile(
    still,
    await quarters().withMetadata({ orientation: 6 }).withIccProfile('p3').jpeg().toBuffer(),
  )
})

/** 64×48: red and green above, blue and white below. */
function quarters(): Sharp {
  const block = (background: string) => ({
    create: { width: 32, height: 24, channels: 3 as const, background },
  })
  return sharp({ create: { width: 64, height: 48, channels: 3, background: '#f00' } }).composite([
    { input: block('#0f0'), left: 32, top: 0 },
    { input: block('#00f'), left: 0, top: 24 },
    { input: block('#fff'), left: 32, top: 24 },
  ])
}

async function tags(...args: string[]): Promise<string> {
  return (await exiftool(...args)).toString()
}

async function make(name: string, ...args: string[]): Promise<string> {
  const output = media.path(name)
  await mustRunProgram([...args, '-qfo', output])
  return output
}

async function refused(...args: string[]): Promise<string> {
  const { exit, stderr } = await runProgram([...args, '-qfo', media.path('refused.jpg')])
  assert.ok(exit === 1 || exit === 2, stderr)
  return stderr
}

/** The corners of a picture as it is shown, row by row: the letter of their strongest colour, w for white. */
async function corners(path: string): Promise<string> {
  const { data, info } = await sharp(path).rotate().removeAlpha().raw().toBuffer({ resolveWithObject: true })
  const places = [
    [4, 4],
    [info.width - 5, 4],
    [4, info.height - 5],
    [info.width - 5, info.height - 5],
  ] as const
  return places
    .map(([x, y]) => {
      const [red = 0, green = 0, blue = 0] = data.subarray((y * info.width + x) * info.channels)
      if (Math.min(red, green, blue) > 200) return 'w'
      return red > green && red > blue ? 'r' : green > blue ? 'g' : 'b'
    })
    .join('')
}

const scanOf = async (path: string) =>
  stripJpeg(await readFile(path), { keepsProfile: false })?.bytes ?? new Uint8Array()

async function clipOf(path: string): Promise<string> {
  const clip = media.path('clip.mp4')
  await writeFile(clip, await exiftool('-b', '-EmbeddedVideoFile', path))
  return clip
}

test('a JPEG is the cover pixel by pixel, with its orientation and its colour profile', async () => {
  const photo = await make('own.jpg', video, '--cover', '1', '--cover-file', still)
  equalBytes(await scanOf(photo), await scanOf(still))
  assert.is((await tags('-s3', '-n', '-IFD0:Orientation', photo)).trim(), '6')
  assert.is(
    (await tags('-s3', '-ICC_Profile:ProfileDescription', photo)).trim(),
    (await tags('-s3', '-ICC_Profile:ProfileDescription', still)).trim(),
  )
  assert.is((await tags('-s3', '-ColorSpace', photo)).trim(), 'Uncalibrated')
  assert.is((await tags('-s3', '-MotionPhotoPresentationTimestampUs', photo)).trim(), '1000000')
  assert.is(await corners(photo), 'brwg')
  const { thumbnail } = readMotionPhoto(await readFile(photo))?.exif ?? {}
  const { width, height } = await sharp(thumbnail).metadata()
  assert.equal([width, height], [64, 48])
})

test("a motion photo's own picture and its moment are the default", async () => {
  const source = await make('source.jpg', video, '--cover', '0.5', '--cover-file', still)
  const photo = await make('again.jpg', source)
  equalBytes(await scanOf(photo), await scanOf(still))
  assert.is((await tags('-s3', '-MotionPhotoPresentationTimestampUs', photo)).trim(), '500000')
  const live = await make('live.zip', source, '--cover', 'source', '--profile', 'apple')
  const fromLive = await make('from live.jpg', live)
  equalBytes(await scanOf(fromLive), await scanOf(still))
  assert.is((await tags('-s3', '-MotionPhotoPresentationTimestampUs', fromLive)).trim(), '500000')
  const other = await make('other.jpg', source, '--cover', '1')
  assert.equal((await sharp(other).metadata()).width, 320)
})

test('PNG and WebP are covers, too, on white', async () => {
  const hole = {
    create: { width: 64, height: 48, channels: 4 as const, background: { r: 255, g: 0, b: 0, alpha: 0 } },
  }
  for (const format of ['png', 'webp'] as const) {
    const picture = media.path(`picture.${format}`)
    await quarters().toFormat(format, { quality: 95 }).toFile(picture)
    assert.is(await corners(await make(`${format}.jpg`, video, '--cover-file', picture)), 'rgbw', format)
  }
  const empty = media.path('empty.png')
  await sharp(hole).png().toFile(empty)
  assert.is(await corners(await make('empty.jpg', video, '--cover-file', empty)), 'wwww')
})

/** 128×96 of 64×48 tiles with the four colours, as a HEIC whose picture is 120×90. */
async function heic(properties: readonly Uint8Array[] = []): Promise<Uint8Array> {
  tiles ??= Promise.all(
    ['red', 'lime', 'blue', 'white'].map(async (colour, i) => {
      const path = await media.make(`tile ${i}.hevc`, [
        ...['-f', 'lavfi', '-i', `color=${colour}:s=64x48:d=0.04`, '-frames:v', '1', '-c:v', 'libx265'],
        ...['-x265-params', 'log-level=none:keyint=1', '-pix_fmt', 'yuv420p', '-f', 'hevc'],
      ])
      return new Uint8Array(await readFile(path))
    }),
  )
  const grid = { columns: 2, rows: 2, width: 120, height: 90 }
  return heicFile({ streams: await tiles, tile: { width: 64, height: 48 }, grid, properties })
}
let tiles: Promise<Uint8Array[]> | undefined

test.skipUnless(...withEncoder('libx265'))(
  'a HEIC is a cover, too: its tiles are put together, turned as it says, and cropped',
  async () => {
    const irot = (quarters: number) => encodeBox('irot', Uint8Array.of(quarters))
    const imir = (axis: number) => encodeBox('imir', Uint8Array.of(axis))
    const profile = Uint8Array.from({ length: 70_000 }, (_, i) => i)
    const icc = encodeBox('colr', asciiBytes('prof'), profile)
    for (const [what, properties, shown, size] of [
      ['plain', [icc], 'rgbw', [120, 90]],
      ['left', [irot(1)], 'gwrb', [90, 120]],
      ['upside down', [irot(2), imir(0)], 'grwb', [120, 90]],
    ] as const) {
      const picture = await media.write(`${what}.heic`, await heic(properties))
      const photo = await make(`${what}.jpg`, video, '--cover-file', picture)
      assert.is(await corners(photo), shown, what)
      const { width, height } = await sharp(photo).metadata()
      assert.equal([width, height], size, what)
    }
    const plain = media.path('plain.jpg')
    equalBytes(new Uint8Array(await exiftool('-b', '-icc_profile', plain)), profile)
    const cropped = await make(
      'part of a heic.jpg',
      video,
      ...['--cover-file', media.path('plain.heic'), '--crop', '1:1', '--rotate', '90'],
    )
    assert.is((await sharp(cropped).metadata()).width, 90)
    const cut = await media.write('cut.heic', (await heic()).slice(0, -20))
    assert.match(await refused(video, '--cover-file', cut), /damaged, or a HEIC or AVIF of a kind/)
  },
)

test('cover and clip are cropped and turned alike', async () => {
  const upright = media.path('upright.png')
  await quarters().png().toFile(upright)
  for (const [rotate, shown] of [
    ['180', 'wbgr'],
    ['270', 'gwrb'],
  ] as const) {
    const photo = await make(`turned ${rotate}.jpg`, video, '--rotate', rotate, '--cover-file', upright)
    assert.is(await corners(photo), shown, rotate)
  }
  const cropped = await make('cropped.jpg', video, '--crop', '1:1', '--rotate', '90')
  const { width, height } = await sharp(cropped).metadata()
  assert.equal([width, height], [180, 180])
  const [stream] = (await ffprobe(await clipOf(cropped))).streams
  assert.equal([stream?.width, stream?.height], [180, 180])
  const part = await make('part.jpg', video, '--crop', '100x60+20+40')
  assert.equal((await sharp(part).metadata()).height, 60)
  const [small] = (await ffprobe(await clipOf(part))).streams
  assert.equal([small?.width, small?.height], [100, 60])
})

test('a turned clip is copied, and shown turned by its matrix', async () => {
  const plain = await make('plain.jpg', video)
  const turned = await make('turned.jpg', video, '--rotate', '90')
  const movieOf = async (path: string) => {
    const mp4 = await readFile(await clipOf(path))
    return { mp4, track: readMovie(mp4).movie?.tracks.find(({ kind }) => kind === 'video') }
  }
  const [before, after] = [await movieOf(plain), await movieOf(turned)]
  assert.equal(after.track?.samples.sizes, before.track?.samples.sizes)
  const picture = media.path('frame.png')
  await mustRun(process.env.FFMPEG_PATH || 'ffmpeg', [
    ...'-v error -y'.split(' '),
    ...['-i', await clipOf(turned), '-frames:v', '1'],
    picture,
  ])
  const { width, height } = await sharp(picture).metadata()
  assert.equal([width, height], [180, 320])
  const { width: across, height: down } = await sharp(turned).metadata()
  assert.equal([across, down], [180, 320])
})

test('a short animation is repeated', async () => {
  const gif = await media.make('short.gif', ['-f', 'lavfi', '-i', 'testsrc2=size=64x48:rate=10:duration=0.5'])
  const often = await ffprobe(await clipOf(await make('often.jpg', gif, '--repeat', '4')))
  const frames = ({ streams: [stream] }: Awaited<ReturnType<typeof ffprobe>>) => Number(stream?.nb_frames)
  assert.is(frames(often), 4 * 15)
  assert.match(await refused(video, '--repeat', '3'), /--repeat is for clips without sound/)
  const muted = await ffprobe(await clipOf(await make('muted.jpg', video, '--repeat', '2', '--mute')))
  assert.is(frames(muted), 120)
})

test.run()
