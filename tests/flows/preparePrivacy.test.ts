import { readFile } from 'node:fs/promises'
import sharp from 'sharp'
import { exiftool } from '#support/media/exiftool'
import { ffprobe, mediaFolderOfSuite, withEncoder, withFfprobe } from '#support/media/media'
import { createMediaTools, type Prepared } from '#support/media/mediaTools'
import { ANDROID_CLIP, IPHONE_CLIP } from '#support/media/samples'
import { assert, suite } from '#support/runner/suite'

// Who uploaded, where and when the video was taken: nothing of it is in the preview, the thumbnails, the motion photo.

const test = suite('what an upload says about its owner', { timeoutMs: 60_000 })
const judged = test.skipUnless(...withFfprobe)
const media = await mediaFolderOfSuite()
const tools = createMediaTools(media)

const SECRETS = [
  '+48.8577+002.295',
  'SecretMake',
  'SecretModel',
  'SecretTitle',
  'SecretArtist',
  '2019-08-07',
  'SecretWords',
]
const X264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p -c:a aac'.split(' ')
const SCENE = ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:r=30:d=1', '-f', 'lavfi', '-i', 'sine=d=1']
const TAGS = [
  ...['-metadata', 'location=+48.8577+002.295/', '-metadata', 'location-eng=+48.8577+002.295/'],
  ...['-metadata', 'com.apple.quicktime.location.ISO6709=+48.8577+002.295/'],
  ...['-metadata', 'make=SecretMake', '-metadata', 'com.apple.quicktime.make=SecretMake'],
  ...['-metadata', 'model=SecretModel', '-metadata', 'title=SecretTitle', '-metadata', 'artist=SecretArtist'],
  ...['-metadata', 'comment=SecretWords', '-metadata', 'creation_time=2019-08-07T06:05:04Z'],
  ...['-metadata:s:v', 'handler_name=SecretTitle', '-metadata:s:a', 'title=SecretTitle'],
  ...['-metadata:s:v', 'language=fra', '-metadata:s:v', 'timecode=10:11:12:13'],
]

for (const [file, more] of Object.entries({
  'phone.mov': ['-movflags', 'use_metadata_tags'],
  'phone.mp4': ['-movflags', 'use_metadata_tags'],
  'phone.mkv': [],
  'phone.avi': [],
  'phone.flv': [],
})) {
  judged(`${file}: place, device, owner, words and time are gone`, async () => {
    const chapters = await media.write(
      'chapters.txt',
      ';FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\ntitle=SecretWords\n',
    )
    const withChapters = [...['-i', chapters], ...'-map 0 -map 1 -map_chapters 2 -map_metadata 2'.split(' ')]
    const upload = await media.make(file, [...SCENE, ...withChapters, ...X264, ...TAGS, ...more])
    const bytes = await readFile(upload)
    assert.ok(
      SECRETS.some((secret) => bytes.includes(secret)),
      'the upload has them',
    )
    const made = await tools.prepare(upload)
    await saysNothing(made)
    const { streams, format } = await ffprobe(made.path, '-show_chapters')
    assert.equal(format.tags, {
      major_brand: 'isom',
      minor_version: '512',
      compatible_brands: format.tags?.compatible_brands,
    })
    for (const stream of streams) {
      assert.equal(
        [
          stream.codec_type === 'video' || stream.codec_type === 'audio',
          stream.tags?.language,
          stream.tags?.creation_time,
        ],
        [true, 'und', undefined],
      )
    }
  })
}

test('a WebP with EXIF and XMP, a GIF and an APNG with comments keep them to themselves', async () => {
  const picture = (background: string) =>
    sharp({ create: { width: 32, height: 32, channels: 3, background } })
      .png()
      .toBuffer()
  const frames = [await picture('#f00'), await picture('#00f')]
  const exif = { IFD0: { Make: 'SecretMake', Model: 'SecretModel', Artist: 'SecretArtist' } }
  const webp = await sharp(frames, { join: { animated: true } })
    .webp({ delay: [500, 500] })
    .withExif(exif)
    .toBuffer()
  await saysNothing(await tools.prepare(await media.write('owner.webp', webp)))
  const comment = Buffer.from('\x21\xfe\x0bSecretWords\0', 'latin1')
  const plain = await media.make('plain.gif', ['-f', 'lavfi', '-i', 'testsrc2=s=32x32:r=10:d=1'])
  const gif = await media.patch(plain, 'owner.gif', (bytes) => {
    const at = bytes.indexOf('21f904', 0, 'hex')
    return Buffer.concat([bytes.subarray(0, at), comment, bytes.subarray(at)])
  })
  await saysNothing(await tools.prepare(gif))
})

test.skipUnless(...withEncoder('libx265'))('words inside the stream of pictures are gone', async () => {
  // x264 and x265 write what they were called with into the stream; a camera may write anything there.
  const upload = await media.make('sei.mp4', [
    ...SCENE,
    ...X264,
    '-bsf:v',
    'h264_metadata=sei_user_data=086f3693b7b34f2c965321492feee5b8+SecretWords',
  ])
  assert.ok((await readFile(upload)).includes('SecretWords'))
  await saysNothing(await tools.prepare(upload))
})

test('real phones: an iPhone and an Android', async () => {
  for (const upload of [IPHONE_CLIP, ...(ANDROID_CLIP === undefined ? [] : [ANDROID_CLIP])]) {
    await saysNothing(await tools.prepare(upload))
  }
})

/** Looks into the bytes, and asks exiftool, which finds what is hidden deeper. */
async function saysNothing(made: Prepared): Promise<void> {
  await holdsNothing(made.path)
  await holdsNothing(await tools.thumbnail(made, 0))
  const shot = await tools.shoot(made, { cover: 0.5 })
  await holdsNothing(shot.path, SHOT_AT)
  await holdsNothing(shot.clip, SHOT_AT)
}

/** When the tests take their photos. */
const SHOT_AT = '2026:01:02 03:04:05'

/** @param time of the container and its tracks */
async function holdsNothing(path: string, time = '0000:00:00 00:00:00'): Promise<void> {
  const bytes = await readFile(path)
  const wide = (text: string) => Buffer.from(text, 'utf16le')
  const found = SECRETS.filter((secret) => bytes.includes(secret) || bytes.includes(wide(secret)))
  assert.equal(found, [], path)
  const answer = await exiftool('-a', '-ee', '-G1', '-s', '-u', path)
  // The mark that ColorOS looks for is the same in every photo and says nothing of the upload.
  const mark = /^\[ExifIFD\] +UserComment +: oplus_8388608$/
  const lines = answer
    .toString()
    .split('\n')
    .filter((line) => !mark.test(line))
  const telling =
    /GPS|Location|Latitude|Make |Model|Artist|Author|Title|Comment|Serial|OwnerName|Chapter|TimeCode/i
  assert.equal(
    lines.filter((line) => telling.test(line) && !/^\[(System|File)\]/.test(line)),
    [],
    path,
  )
  // Previews have no time. The clip of a photo has the photo's, which is chosen when it is made: see captureTime.
  const dates = lines.filter((line) => /^\[(QuickTime|Track\d)\].*(Create|Modify)Date/.test(line))
  assert.ok(
    dates.every((line) => line.endsWith(time)),
    dates.join('\n'),
  )
}

test.run()
