import { concatBytes } from '#core/bytes'
import { stripJpeg } from '#core/formats/jpeg/stripJpeg'
import { bytesSource } from '#core/formats/source/byteSource'
import { zipPieces } from '#core/formats/zip/zip'
import { OUTPUT_PROFILES, outputFiles } from '#core/media/convert/outputFiles'
import { captureOf, videoOf } from '#core/media/prepare/videoOf'
import { UNKNOWN_CAPTURE } from '#core/media/traits'
import { assert, suite } from '#support/runner/suite'
import { collect } from '#support/values/collect'
import { equalBytes } from '#support/values/equalBytes'
import { rejectedRefusal } from '#support/values/failures'
import { heicOf } from '../../formats/motionPhoto/sampleHeic'
import { baselineJpeg, progressiveJpeg } from '../../formats/motionPhoto/sampleJpeg'
import { sampleParts } from '../../formats/motionPhoto/sampleParts'
import { description, motion } from '../../formats/motionPhoto/samplePhones'

const test = suite('the video of an upload')

const { clip } = sampleParts
const time = { year: 2024, month: 5, day: 6, hour: 9, minute: 8, second: 9, offsetMinutes: 120 }
const material = { ...sampleParts, takenAt: time, namedAt: time }
const signal = new AbortController().signal

async function unpack(bytes: Uint8Array) {
  const written: Uint8Array[] = []
  const folder = {
    write: async (name: string, content: AsyncIterable<Uint8Array>) => {
      written.push(concatBytes(await collect(content)))
      return `/work/${name}`
    },
  }
  const source = { path: '/upload', kind: 'photo' } as const
  const video = await videoOf(async () => bytesSource(bytes), source, { folder, signal })
  return { video, written }
}

test('a video is its own, and is not read', async () => {
  const unread = async () => {
    throw new Error('it is read')
  }
  const source = { path: '/upload', kind: 'webp' } as const
  const video = await videoOf(unread, source, { folder: { write: unread }, signal })
  assert.equal(video, { ...source, photoTime: undefined })
})

for (const profile of OUTPUT_PROFILES.filter((name) => name !== 'all')) {
  test(`of a photo of the profile ${profile} it is the clip, with the photo's time`, async () => {
    const files = outputFiles(profile, material)
    const [only] = files
    const upload = files.length === 1 ? only?.bytes : concatBytes(zipPieces(files, time))
    const { video, written } = await unpack(upload ?? new Uint8Array())
    assert.equal(video, {
      path: '/work/unpacked.mp4',
      kind: 'video',
      photoTime: { unixMs: Date.UTC(2024, 4, 6, 7, 8, 9), offsetMinutes: 120 },
      still: { path: '/work/still', seconds: video.still?.seconds },
    })
    const pictured = stripJpeg(written[1] ?? new Uint8Array())
    equalBytes(pictured?.bytes ?? new Uint8Array(), stripJpeg(progressiveJpeg)?.bytes ?? new Uint8Array())
    assert.ok(Math.abs((video.still?.seconds ?? -1) - 0.1) < 0.034, String(video.still?.seconds))
    equalBytes(written[0] ?? new Uint8Array(), profile === 'apple' ? (files[1]?.bytes ?? clip) : clip)
  })
}

test('a HEIC with a video is one, too', async () => {
  const { video, written } = await unpack(heicOf({ xmp: description(motion), movie: clip, itemsIn: 'file' }))
  assert.is(video.photoTime, undefined)
  equalBytes(written[0] ?? new Uint8Array(), clip)
})

const refused: Readonly<Record<string, readonly [Uint8Array, RegExp]>> = {
  'a still': [baselineJpeg, /^The file is a still image\./],
  'a ZIP of something else': [
    concatBytes(zipPieces([{ name: 'a.txt', bytes: clip }], time)),
    /^The ZIP is no Live Photo\./,
  ],
  'half a JPEG': [progressiveJpeg.subarray(0, 20), /^The file is a still image\./],
}
for (const [name, [bytes, detail]] of Object.entries(refused)) {
  test(`${name} is refused as an upload without a video`, async () => {
    assert.match((await rejectedRefusal(unpack(bytes), 'invalid-request')).detail, detail)
  })
}

test("the photo's time goes before the video's", () => {
  const photoTime = { unixMs: 5, offsetMinutes: 60 }
  const video = { path: '', kind: 'video' as const, photoTime }
  assert.is(captureOf({ ...UNKNOWN_CAPTURE, time: { unixMs: 1, offsetMinutes: 0 } }, video).time, photoTime)
  assert.equal(captureOf(UNKNOWN_CAPTURE, { ...video, photoTime: undefined }), UNKNOWN_CAPTURE)
})

test.run()
