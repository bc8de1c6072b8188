import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { concatBytes } from '@lantern-room/base/bytes'
import { readNow, readPhoto } from '@lantern-room/formats'
import { readLiveMovie, wallpaperOf } from '@lantern-room/formats/video'
import { uint32s } from '@lantern-room/mp4/boxes'
import { openMediaFolder } from '#support/media/media'
import { mustRunProgram } from '#support/process/commandLine'
import { realFilesAtHand } from '#support/realFiles/bringRealFiles'
import { compareFile, differencesOf, type JudgeName } from '#support/realFiles/compare'
import { REAL_FILES } from '#support/realFiles/realFiles'
import { rowOf, tableIn } from '#support/realFiles/table'
import { assert, suite } from '#support/runner/suite'
import { LIVE_DIFFERENCES, liveRows, readLiveFields } from './liveFields'

// Photos that real phones have taken, if they are at hand: `npm run figures -- real-files` brings them.

const test = suite('files of real phones', { timeoutMs: 120_000 })

const PAGE = 'docs/real-files.md'
const page = await readFile(PAGE, 'utf8')
const rows = tableIn(page)
const { files, missing } = await realFilesAtHand()
const reasons = new Map(missing.map(({ file, reason }) => [file.name, reason]))
const photos = REAL_FILES.filter(({ path }) => !/\.mov$/i.test(path))

/** Why a program sees a file otherwise than `inspect`: what `docs/real-files.md` tells, and no other difference passes. */
const KNOWN_DIFFERENCES: Readonly<Record<string, Partial<Record<JudgeName, string>>>> = {
  'pixel-3a-jfif': {
    exiftool: 'The picture was shortened and has no end (EOI), after which exiftool looks for the video.',
  },
  'samsung-micro-video': {
    exiftool: "It takes MicroVideo out by Samsung's directory alone, which is cut off here.",
    libmotionphoto: 'It does not know MicroVideo.',
  },
  'android-heic': {
    PhotoPrism:
      "It looks at the first `ftyp` of each 128 KiB only. In this small file that is the picture's own, so the video is not found.",
  },
}

for (const { name } of photos) {
  const file = files.find((candidate) => candidate.name === name)
  const withFile = test.skipUnless(file, `${reasons.get(name)}; npm run figures -- real-files brings it`)
  withFile(`${name}: inspect sees what other programs see, as ${PAGE} says`, async () => {
    if (!file) return
    const comparison = await compareFile(file)
    const known = KNOWN_DIFFERENCES[name] ?? {}
    for (const { judge, sees } of differencesOf(comparison))
      assert.ok(known[judge], `${judge} sees it otherwise, for a reason that nobody has given: ${sees}`)
    // A file that nobody has judged yet has no row: the command above writes it.
    if (rows.has(name)) assert.is(rowOf(comparison), rows.get(name))
  })
}

test('the page gives the reason for each difference that is known', () => {
  for (const [name, known] of Object.entries(KNOWN_DIFFERENCES))
    for (const [judge, reason] of Object.entries(known)) {
      assert.ok(page.includes(`- \`${name}\`, ${judge}: ${reason}`), `${name}, ${judge}`)
      assert.ok(rows.get(name), `${name} has a row`)
    }
})

const movie = files.find(({ name }) => name === 'iphone-15-video')
const wallpaper = files.find(({ name }) => name === 'wallpaper-video')
const photo = files.find(({ name }) => name === 'iphone-15-photo')

test.skipUnless(movie, `${reasons.get('iphone-15-video')}`)(
  "the profile apple writes the fields of an iPhone's own Live Photo",
  async () => {
    if (!movie) return
    const media = await openMediaFolder()
    try {
      const video = await media.make('video.mp4', [
        ...['-f', 'lavfi', '-i', 'testsrc2=size=320x180:rate=30:duration=2'],
        ...['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=48000:duration=2'],
        ...['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'],
      ])
      const bundle = media.path('live.pvt')
      await mustRunProgram([video, '--profile', 'apple', '--cover', '1', '-qo', bundle])
      const real = await readLiveFields(movie.local)
      const ours = await readLiveFields(join(bundle, 'live.MOV'))
      for (const [name, value] of Object.entries(real))
        if (!LIVE_DIFFERENCES[name]) assert.is(ours[name], value, name)
      assert.equal(
        liveRows(real, ours).filter((row) => !page.includes(row)),
        [],
        `rows that ${PAGE} lacks`,
      )
    } finally {
      await media.remove()
    }
  },
)

test.skipUnless(movie && wallpaper, `${reasons.get('wallpaper-video')}`)(
  "a wallpaper's records are those of a video that works as one, and its keys an iPhone's",
  () => {
    const { metadata, marks } = wallpaperOf(0, [0])
    const phone = Buffer.from(movie?.bytes ?? [])
    for (const [key] of metadata) assert.ok(phone.includes(key), key)
    const clip = { timescale: 600, durationSeconds: 2, tracks: [] }
    const [info, mark] = marks.map((made) => made(clip))
    if (!info || !mark) throw new Error('two tracks')
    for (const [name, type] of mark.keys)
      assert.ok(phone.includes(`mdta${name}`) && phone.includes(Buffer.from(type)), name)
    const worked = Buffer.from(wallpaper?.bytes ?? [])
    const record = info.values.flatMap((value, at) => [uint32s(8 + value.length, at + 1), value])
    assert.ok(worked.includes(Buffer.from(concatBytes(record))), 'the record')
    const setup = Buffer.from(info.keys[0]?.[1] ?? []).subarray(-393)
    assert.ok(worked.includes(setup), 'the versions, and the size')
  },
)

test.skipUnless(movie, `${reasons.get('iphone-15-video')}`)("the marks of an iPhone's movie are read", () => {
  if (!movie) return
  const { identifier, stillTimeUs } = readNow(readLiveMovie({ size: movie.bytes.length }), movie.bytes)
  assert.is(identifier, '7EF4936E-3840-45DC-BA67-70154919699F')
  assert.is(stillTimeUs, 1_366_667)
})

test.skipUnless(photo && movie, `${reasons.get('iphone-15-photo')}`)(
  "an iPhone's photo and movie have one identifier",
  () => {
    if (!photo) return
    const read = readNow(readPhoto({ size: photo.bytes.length }), photo.bytes)
    assert.is(read?.exif?.contentIdentifier, '7EF4936E-3840-45DC-BA67-70154919699F')
  },
)

test.run()
