import { readFile } from 'node:fs/promises'
import { createFfmpeg, createSharpWebp } from '@lantern-room/adapters/ffmpeg'
import { createWorkFolders } from '@lantern-room/adapters/files'
import { createSystemClock } from '@lantern-room/adapters/system'
import { bytesSource } from '@lantern-room/formats'
import { readMediaConfig } from '@lantern-room/media'
import { convertClip } from '@lantern-room/media/make'
import { makeCoded, readNumbers } from '#support/media/codedPictures'
import { B_FRAMES, CONTAINERS, X264 } from '#support/media/containers'
import { ffmpegPath, mediaFolderOfSuite, withEncoder } from '#support/media/media'
import { createMediaTools, materialOf, type Prepared } from '#support/media/mediaTools'
import { ORIGIN, UNEDITED } from '#support/media/prepared'
import { ANDROID_CLIP, IPHONE_CLIP } from '#support/media/samples'
import { assert, suite } from '#support/runner/suite'

// A cover that is taken from the few pictures around it equals the one for which ffmpeg searches in the whole original.

const test = suite('covers by groups', { timeoutMs: 180_000 })
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)
const dependencies = {
  ffmpeg: createFfmpeg({ path: ffmpegPath }),
  webp: createSharpWebp(),
  clock: createSystemClock(),
  limits: readMediaConfig({}).limits,
  version: '1.2.3',
}
const workFolders = createWorkFolders({ folder: media.path('work') })
const { signal } = new AbortController()

/** Makes a photo. @returns it, and how many bytes of the original were read; `Infinity` where ffmpeg had all of it */
async function photoWith({ original, upload, path, frames }: Prepared, frame: number, byGroup: boolean) {
  const source = bytesSource(await readFile(upload))
  let bytesRead = 0
  const bytes = {
    size: source.size,
    read: (start: number, end: number) => {
      bytesRead += end - start
      return source.read(start, end)
    },
  }
  const folder = await workFolders.open()
  const startFrame = Math.max(0, frame - 5)
  const sourceFrames = Math.min(10, frames - startFrame)
  const { photo } = await convertClip(
    dependencies,
    {
      preview: { ...(await materialOf(path)), hasAudio: false },
      original: {
        bytes,
        traits: byGroup ? original : { ...original, startsAtZero: false },
        path: async () => {
          bytesRead = Number.POSITIVE_INFINITY
          return upload
        },
      },
    },
    {
      plan: { startFrame, sourceFrames, clipFrames: sourceFrames, speed: 1, coverFrame: frame },
      profile: 'universal',
      quality: 'preview',
      mute: true,
      hdr: false,
      wallpaper: false,
      origin: ORIGIN,
      edit: UNEDITED,
    },
    { folder, signal },
  )
  return { photo, bytesRead, path: await folder.write('photo.jpg', photo) }
}

async function areEqual(made: Prepared, frames: readonly number[]): Promise<void> {
  for (const frame of frames) {
    const byGroup = await photoWith(made, frame, true)
    const byFile = await photoWith(made, frame, false)
    assert.ok(Number.isFinite(byGroup.bytesRead), `frame ${frame} is taken from its group`)
    assert.is(byFile.bytesRead, Number.POSITIVE_INFINITY)
    assert.ok(Buffer.from(byGroup.photo).equals(byFile.photo), `the photo of frame ${frame}`)
  }
}

const HEVC = '-c:v libx265 -preset ultrafast -x265-params log-level=none:keyint=30'.split(' ')
const PLAIN = ['MP4, one group', 'MP4, B-frames and open groups', 'MP4 at 60 a second', 'MP4 at 24 a second']
const OTHERS = ['MP4 of a variable rate', 'QuickTime, every picture a key', 'HEVC with open groups']

for (const name of [...PLAIN, ...OTHERS]) {
  const { file = '', rate = 30, args = [], needs } = CONTAINERS[name] ?? {}
  test.skipUnless(...withEncoder(needs))(`${name}: bit by bit the same`, async () => {
    const made = await tools.prepare(await makeCoded(media, file, [rate * 3, rate], args))
    const shown = await readNumbers(made.path)
    await areEqual(made, [46, made.frames - 1])
    const { path } = await photoWith(made, 46, true)
    assert.equal(await readNumbers(path), [shown[46]])
  })
}

const BT2020 = ['-pix_fmt', 'yuv420p10le', ...HEVC, '-color_primaries', 'bt2020', '-colorspace', 'bt2020nc']
for (const [name, args, needs] of [
  ['HDR (PQ)', [...BT2020, '-color_trc', 'smpte2084'], 'libx265'],
  ['HDR (HLG)', [...BT2020, '-color_trc', 'arib-std-b67'], 'libx265'],
  ['interlaced', ['-vf', 'interlace', ...X264, '-flags', '+ildct+ilme'], undefined],
  ['pixels that are not square', ['-vf', 'setsar=4/3', ...B_FRAMES], undefined],
] as const) {
  test.skipUnless(...withEncoder(needs))(`${name}: bit by bit the same`, async () => {
    const scene = ['-f', 'lavfi', '-i', 'testsrc2=s=322x240:r=30:d=1']
    await areEqual(await tools.prepare(await media.make('scene.mp4', [...scene, ...args])), [17])
  })
}

test('turned by 90 degrees: bit by bit the same', async () => {
  const upright = await media.make('upright.mp4', [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=322x240:r=30:d=1', ...B_FRAMES],
  ])
  const upload = await media.patch(upright, 'turned.mp4', (bytes) => {
    const matrix = [0, 1, 0, -1, 0, 0, 0, 0, 0x4000]
    const at = bytes.indexOf('tkhd') + 4 + 40
    matrix.forEach((value, index) => void bytes.writeInt32BE(value * 0x10000, at + index * 4))
    return undefined
  })
  const made = await tools.prepare(upload)
  assert.equal([made.original.size.width, made.original.size.height], [240, 322])
  await areEqual(made, [20])
})

test('with sound that begins before or after the picture', async () => {
  const sound = ['-f', 'lavfi', '-i', 'sine=d=2', '-c:a', 'aac']
  const made = await tools.prepare(await makeCoded(media, 'sound.mp4', [60], [...sound, ...B_FRAMES]))
  await areEqual(made, [0, 59])
  const late = await makeCoded(
    media,
    'late.mp4',
    [60],
    [...sound, '-vf', 'setpts=PTS+1/TB', '-fps_mode', 'passthrough', ...X264],
  )
  await areEqual(await tools.prepare(late), [15, 29, 30])
})

test('recordings of phones', async () => {
  for (const clip of [IPHONE_CLIP, ...(ANDROID_CLIP ? [ANDROID_CLIP] : [])])
    await areEqual(await tools.prepare(clip), [33])
})

test('of a part that was prepared', async () => {
  const upload = await makeCoded(media, 'part.mp4', [300, 30], B_FRAMES)
  const made = await tools.prepare(upload, { window: { from: 4, to: 7, mustFit: true } })
  await areEqual(made, [0, 40])
})

test('a fraction of the original is read', async () => {
  const scene = ['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=30:d=6,noise=alls=40:allf=t']
  const upload = await media.make('long.mp4', [...scene, ...X264, '-g', '10', '-crf', '20'])
  const made = await tools.prepare(upload)
  const { bytesRead } = await photoWith(made, 100, true)
  const { size } = bytesSource(await readFile(upload))
  assert.ok(bytesRead < size / 10, `${bytesRead} of ${size} bytes`)
})

test('a container of another kind, and one in fragments, are searched as a whole', async () => {
  for (const name of ['MKV', 'MP4 in fragments']) {
    const { file = '', args = [] } = CONTAINERS[name] ?? {}
    const made = await tools.prepare(await makeCoded(media, file, [60], args))
    const shown = await readNumbers(made.path)
    const { path, bytesRead } = await photoWith(made, 31, true)
    assert.is(bytesRead, Number.POSITIVE_INFINITY)
    assert.equal(await readNumbers(path), [shown[31]])
  }
})

test.run()
