import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { assembleMotionPhoto } from '@lantern-room/formats'
import { MOTION_PHOTO_PROFILES, type MotionPhotoProfile } from '@lantern-room/formats/make'
import { readMovie } from '@lantern-room/mp4'
import { normalizeClip } from '@lantern-room/mp4/clip'
import exifr from 'exifr'
import type { ISOFile } from 'mp4box'
import sharp from 'sharp'
import { exiftool } from '#support/media/exiftool'
import { ffmpegPath, mediaFolderOfSuite } from '#support/media/media'
import { readWithMp4Box } from '#support/media/mp4box'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { findProgram } from '#support/process/findProgram'
import { readExiftoolFacts } from '#support/realFiles/exiftoolFacts'
import { libmotionphoto } from '#support/realFiles/libmotionphoto'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'

// A motion photo is right when programs that know nothing of this one say so.

const test = suite('motion photo before outside judges', { timeoutMs: 60_000 })

const clipSeconds = 3
const coverSeconds = 2

const media = await mediaFolderOfSuite()
let cover: Uint8Array
let thumbnail: Uint8Array
let clip: Uint8Array
const files = new Map<MotionPhotoProfile, Uint8Array>()

type Outcome = { readonly exitCode: number | string; readonly stdout: Buffer; readonly stderr: string }

/** Runs a program to its end; a refusal is an outcome. */
function run(program: string, args: readonly string[]): Promise<Outcome> {
  const options = { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 } as const
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ exitCode: error ? (error.code ?? 'killed') : 0, stdout, stderr: stderr.toString() })
    })
  })
}

async function mustRun(program: string, args: readonly string[]): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await run(program, args)
  assert.is(exitCode, 0, `${program} ${args.join(' ')}\n${stderr}`)
  assert.is(stderr, '', `${program} has nothing to complain of`)
  return stdout
}

const { path } = media
const photoPath = (profile: MotionPhotoProfile) => path(`${profile}.jpg`)

async function make(name: string, args: readonly string[]): Promise<Uint8Array> {
  return readFile(await media.make(name, args))
}

function fileOf(profile: MotionPhotoProfile): Uint8Array {
  const file = files.get(profile)
  if (!file) throw new Error(`no ${profile} file was made`)
  return file
}

/** From the clip's first byte to the end of the file, found as any reader of Google's specification would. */
async function clipToEnd(profile: MotionPhotoProfile): Promise<Uint8Array> {
  const length = await exiftool('-s3', '-n', '-DirectoryItemLength', photoPath(profile))
  const file = fileOf(profile)
  return file.subarray(file.length - Number(length.toString().trim().split(/, ?/).at(-1)))
}

/** The same without Huawei's text, which no box holds: its galleries take the clip by its length. */
async function movieToEnd(profile: MotionPhotoProfile): Promise<Uint8Array> {
  const tail = await clipToEnd(profile)
  return profile === 'huawei' ? tail.subarray(0, -60) : tail
}

test.before(async () => {
  const scene = ['-f', 'lavfi', '-i', `testsrc2=size=640x360:rate=30:duration=${clipSeconds}`]
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${clipSeconds}`]
  const video =
    '-c:v libx264 -preset superfast -profile:v baseline -level:v 3.1 -pix_fmt yuv420p -g 15'.split(' ')
  const audio = ['-c:a', 'aac', '-b:a', '96k']
  const early = ['-movflags', '+faststart']
  const encoded = await make('encoded.mp4', [...scene, ...sound, ...video, ...audio, ...early])
  const bframes = '-c:v libx264 -preset veryfast -profile:v main -bf 2 -g 30'.split(' ')
  await make('bframes.mp4', [...scene, ...sound, ...bframes, ...audio])

  const still = [
    ...['-f', 'lavfi', '-ss', String(coverSeconds)],
    ...'-i testsrc2=size=1280x720:rate=30 -frames:v 1'.split(' '),
  ]
  cover = await make('cover.jpg', [...still, '-q:v', '2'])
  thumbnail = await make('thumbnail.jpg', ['-i', path('cover.jpg'), '-vf', 'scale=320:-2', '-q:v', '5'])
  clip = normalizeClip(encoded)
  for (const profile of MOTION_PHOTO_PROFILES) {
    const file = assembleMotionPhoto({
      cover,
      thumbnail,
      clip,
      presentationTimestampUs: coverSeconds * 1_000_000,
      profile,
      takenAt: { year: 2026, month: 3, day: 4, hour: 5, minute: 6, second: 7, offsetMinutes: 120 },
      software: 'Lantern Room 1.2.3',
    })
    files.set(profile, file)
    await writeFile(photoPath(profile), file)
  }
})

const xiaomiWarning = ['Validate: 1 Warning (minor)', 'Warning: [minor] Unknown ExifIFD tag 0x8897']
const verdicts: Record<MotionPhotoProfile, string[]> = {
  universal: xiaomiWarning,
  google: ['Validate: OK'],
  legacy: xiaomiWarning,
  huawei: ['Validate: OK'],
}

for (const profile of MOTION_PHOTO_PROFILES) {
  const hasTrailer = profile === 'universal' || profile === 'legacy'
  const tailBytes = hasTrailer ? 8 + 75 : profile === 'huawei' ? 60 : 0

  test(`${profile}: exiftool finds nothing wrong but the Xiaomi tag`, async () => {
    const verdict = await exiftool('-validate', '-warning', '-error', '-a', '-s2', photoPath(profile))
    assert.equal(verdict.toString().trim().split('\n'), verdicts[profile])
  })

  test(`${profile}: Google's checker finds nothing wrong`, async () => {
    const { isMotionPhoto, complaint } = libmotionphoto(
      Buffer.from(fileOf(profile)),
      await readExiftoolFacts(photoPath(profile)),
    )
    assert.equal([isMotionPhoto, complaint], [true, undefined])
  })

  test(`${profile}: exiftool takes the clip out byte for byte`, async () => {
    const samsung = await exiftool('-b', '-EmbeddedVideoFile', photoPath(profile))
    equalBytes(samsung, hasTrailer ? clip : new Uint8Array(), 'The Samsung block')
    const google = await exiftool('-b', '-MotionPhotoVideo', photoPath(profile))
    equalBytes(google.subarray(0, clip.length), clip, 'The Google item')
    equalBytes(google, await clipToEnd(profile), 'The Google item')
    assert.is(google.length, clip.length + tailBytes)
  })

  test(`${profile}: exiftool reads the marks of each maker`, async () => {
    const [tags] = JSON.parse((await exiftool('-j', '-n', '-a', photoPath(profile))).toString())
    assert.is(tags.MotionPhoto, 1)
    assert.is(tags.MotionPhotoVersion, 1)
    assert.is(tags.MotionPhotoPresentationTimestampUs, 2_000_000)
    assert.equal(tags.DirectoryItemSemantic, ['Primary', 'MotionPhoto'])
    assert.equal(tags.DirectoryItemMime, ['image/jpeg', 'video/mp4'])
    assert.equal(tags.DirectoryItemPadding, [hasTrailer ? 24 : 0, 0])
    assert.is(tags.EmbeddedVideoType, hasTrailer ? 'MotionPhoto_Data' : undefined)
    assert.is(tags.UserComment, hasTrailer ? 'oplus_8388608' : undefined)
    assert.equal([tags.NumberOfImages, tags.MPImageType], hasTrailer ? [1, 0x030000] : [undefined, undefined])
    assert.is(tags.MPImageLength, hasTrailer ? readMotionPhoto(fileOf(profile))?.primaryLength : undefined)
    assert.is(tags.MotionPhotoFeatureFlag, hasTrailer ? 1 : undefined)
    assert.is(tags.MicroVideo, profile === 'legacy' ? 1 : undefined)
    assert.is(tags.MicroVideoOffset, profile === 'legacy' ? clip.length + 83 : undefined)
    assert.equal([tags.ImageWidth, tags.ImageHeight, tags.Orientation], [1280, 720, 1])
    assert.is(tags.DateTimeOriginal, '2026:03:04 05:06:07')
    assert.is(tags.OffsetTimeOriginal, '+02:00')
    assert.is(tags.Software, 'Lantern Room 1.2.3')
  })

  test(`${profile}: the EXIF thumbnail decodes and looks like the cover`, async () => {
    const small = await exiftool('-b', '-ThumbnailImage', photoPath(profile))
    const { width, height } = await sharp(small, { failOn: 'warning' }).metadata()
    assert.equal([width, height], [320, 180])
    assert.ok((await difference(small, cover)) < 4, 'it looks like the cover')
    assert.ok(
      (await difference(await sharp(small).flop().toBuffer(), cover)) > 20,
      'and not like anything else',
    )
  })

  test(`${profile}: mp4box reads clip and tail as one clean MP4`, async () => {
    const tail = await movieToEnd(profile)
    const { movie, file } = readWithMp4Box(tail)
    assert.equal([movie.isFragmented, movie.isProgressive], [false, true])
    assert.is(movie.duration / movie.timescale, clipSeconds)
    assert.equal(
      movie.tracks.map((track) => [track.codec, (track.movie_duration ?? 0) / movie.timescale]),
      [
        ['avc1.42c01f', clipSeconds],
        ['mp4a.40.2', clipSeconds],
      ],
    )
    assert.is(movie.tracks[0]?.nb_samples, clipSeconds * 30)
    const types = file.boxes.map((box) => box.type)
    assert.equal(types, ['ftyp', 'free', 'moov', 'mdat', ...(hasTrailer ? ['free'] : [])])
    const last = file.boxes.at(-1)
    assert.is((last?.start ?? 0) + (last?.size ?? 0), tail.length)
  })

  test(`${profile}: sharp decodes the picture without a warning, and to the cover's pixels`, async () => {
    const image = sharp(fileOf(profile), { failOn: 'warning' })
    const { width, height, format, orientation } = await image.metadata()
    assert.equal([width, height, format, orientation], [1280, 720, 'jpeg', 1])
    assert.ok((await image.raw().toBuffer()).equals(await sharp(cover).raw().toBuffer()), 'the same pixels')
  })

  test(`${profile}: exifr reads EXIF, XMP and thumbnail`, async () => {
    const tags = await exifr.parse(fileOf(profile), { xmp: true, reviveValues: false })
    assert.is(tags.Software, 'Lantern Room 1.2.3')
    assert.is(tags.DateTimeOriginal, '2026:03:04 05:06:07')
    assert.equal([tags.ExifImageWidth, tags.ExifImageHeight], [1280, 720])
    assert.is(tags.MotionPhoto, 1)
    assert.is(tags.MotionPhotoPresentationTimestampUs, 2_000_000)
    assert.is(tags.VideoLength, hasTrailer ? clip.length : undefined)
    const small = await exifr.thumbnail(fileOf(profile))
    equalBytes(
      small ?? new Uint8Array(),
      readMotionPhoto(fileOf(profile))?.exif?.thumbnail ?? new Uint8Array(),
    )
  })

  test(`${profile}: ffmpeg decodes the picture, and the clip with its tail`, async () => {
    await writeFile(path(`${profile}.mp4`), await movieToEnd(profile))
    for (const name of [photoPath(profile), path(`${profile}.mp4`)]) {
      await mustRun(ffmpegPath, ['-v', 'error', '-xerror', '-nostdin', '-i', name, '-f', 'null', '-'])
    }
  })

  test.skipUnless(findProgram('jpeginfo'), 'jpeginfo is not installed')(
    `${profile}: jpeginfo finds the picture sound`,
    async () =>
      assert.match(
        (await mustRun('jpeginfo', ['-c', photoPath(profile)])).toString(),
        /1280 x +720 .*\bOK\b/,
      ),
  )

  test.skipUnless(findProgram('exiv2'), 'exiv2 is not installed')(
    `${profile}: exiv2 parses EXIF and XMP strictly`,
    async () => {
      const tags = (await mustRun('exiv2', ['-Pkv', photoPath(profile)])).toString()
      assert.match(tags, /^Exif\.Photo\.DateTimeOriginal +2026:03:04 05:06:07$/m)
      assert.match(tags, /^Exif\.Thumbnail\.Compression +6$/m)
      assert.match(tags, /^Xmp\.GCamera\.MotionPhotoPresentationTimestampUs +2000000$/m)
      assert.is(/^Xmp\.OpCamera\.VideoLength/m.test(tags), hasTrailer)
    },
  )

  test.skipUnless(findProgram('mediainfo'), 'mediainfo is not installed')(
    `${profile}: mediainfo says that the clip is streamable`,
    async () => {
      await writeFile(path(`${profile}.mp4`), await movieToEnd(profile))
      const inform = '--Inform=General;%Format% %IsStreamable% %Duration% %VideoCount% %AudioCount%'
      const answer = await mustRun('mediainfo', [inform, path(`${profile}.mp4`)])
      assert.is(answer.toString().trim(), 'MPEG-4 Yes 3000 1 1')
    },
  )
}

test('a progressive cover decodes to the same pixels', async () => {
  const progressive = await sharp(cover).jpeg({ progressive: true }).withMetadata().toBuffer()
  const file = assembleMotionPhoto({
    cover: progressive,
    thumbnail,
    clip,
    presentationTimestampUs: 0,
    profile: 'universal',
    takenAt: { year: 2026, month: 3, day: 4, hour: 5, minute: 6, second: 7, offsetMinutes: undefined },
    software: 'Lantern Room 1.2.3',
  })
  await writeFile(path('progressive.jpg'), file)
  const pixels = await sharp(file, { failOn: 'warning' }).raw().toBuffer()
  assert.ok(pixels.equals(await sharp(progressive).raw().toBuffer()))
  equalBytes(await exiftool('-b', '-EmbeddedVideoFile', path('progressive.jpg')), clip)
})

for (const name of ['encoded.mp4', 'bframes.mp4']) {
  test(`mp4box and our reader find the same samples in ${name}, before and after normalising`, async () => {
    const source = await readFile(path(name))
    for (const mp4 of [source, normalizeClip(source)]) {
      const theirs = readWithMp4Box(mp4)
      const ours = readMovie(mp4).movie
      assert.is(ours?.durationSeconds, theirs.movie.duration / theirs.movie.timescale)
      assert.is(ours?.tracks.length, 2)
      for (const track of ours?.tracks ?? []) {
        assert.equal(rowsOf(track.samples), theirRows(theirs.file, track.id))
      }
    }
  })
}

test('the samples of the clip decode to the pictures of the encode', async () => {
  await writeFile(path('normal.mp4'), clip)
  const sums = await Promise.all(
    ['encoded.mp4', 'normal.mp4'].map((name) =>
      mustRun(ffmpegPath, ['-v', 'error', '-nostdin', '-i', path(name), '-f', 'framemd5', '-']),
    ),
  )
  assert.ok(String(sums[0]).split('\n').length > 200)
  assert.is(String(sums[0]), String(sums[1]))
})

test('the judges can say no', async () => {
  const file = fileOf('universal').slice()
  const photo = readMotionPhoto(file)
  const middle = Math.floor((photo?.primaryLength ?? 0) * 0.6)
  file.fill(0xff, middle, middle + 40)
  assert.ok(await ffmpegComplains('broken.jpg', file), 'of a picture with a hole')
  const pixels = sharp(file, { failOn: 'warning' }).raw().toBuffer()
  assert.not.ok(await pixels.catch(() => undefined), 'sharp too')

  const tail = (await clipToEnd('universal')).slice()
  tail.fill(0xff, 60_000, 90_000)
  assert.ok(await ffmpegComplains('broken.mp4', tail), 'of a clip with a hole')

  const unwrapped = fileOf('universal').slice(photo?.clip?.offset)
  unwrapped.fill(0x58, unwrapped.length - 83, unwrapped.length - 75)
  const last = readWithMp4Box(unwrapped).file.boxes.at(-1)
  assert.is.not(
    (last?.start ?? 0) + (last?.size ?? 0),
    unwrapped.length,
    'mp4box stops at a tail that is no box',
  )
})

async function ffmpegComplains(name: string, bytes: Uint8Array): Promise<boolean> {
  await writeFile(path(name), bytes)
  const decode = ['-v', 'error', '-xerror', '-nostdin', '-i', path(name), '-f', 'null', '-']
  const { exitCode, stderr } = await run(ffmpegPath, decode)
  return exitCode !== 0 || stderr !== ''
}

/** Mean absolute difference of two pictures, scaled to 64 × 36, of 255. */
async function difference(one: Uint8Array, other: Uint8Array): Promise<number> {
  const shrink = (picture: Uint8Array) => sharp(picture).resize(64, 36, { fit: 'fill' }).raw().toBuffer()
  const [a, b] = await Promise.all([shrink(one), shrink(other)])
  assert.is(a.length, b.length)
  return a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] ?? 0)), 0) / a.length
}

type Row = readonly [offset: number, size: number, duration: number, composition: number, sync: boolean]

function rowsOf(
  samples: NonNullable<ReturnType<typeof readMovie>['movie']>['tracks'][number]['samples'],
): Row[] {
  return Array.from({ length: samples.count }, (_, i) => [
    samples.offsets[i] ?? -1,
    samples.sizes[i] ?? -1,
    samples.durations[i] ?? -1,
    samples.compositionOffsets?.[i] ?? 0,
    samples.sync[i] === 1,
  ])
}

function theirRows(file: ISOFile, track: number): Row[] {
  return file
    .getTrackSamplesInfo(track)
    .map((sample) => [sample.offset, sample.size, sample.duration, sample.cts - sample.dts, sample.is_sync])
}

test.run()
