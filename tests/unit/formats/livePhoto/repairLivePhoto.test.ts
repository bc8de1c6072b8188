import { readFile } from 'node:fs/promises'
import { asciiBytes } from '@lantern-room/base/bytes'
import { readMovie } from '@lantern-room/mp4'
import { normalizeClip } from '@lantern-room/mp4/clip'
import type { FormatErrorCode } from '@lantern-room/mp4/source'
import { type FileParts, readNow, readThrough, take } from '@lantern-room/mp4/source'
import fc from 'fast-check'
import { encodeExifSegment } from '#internal/formats/exif/exif'
import { stripJpeg } from '#internal/formats/jpeg/stripJpeg'
import { findLivePair } from '#internal/formats/livePhoto/inspectLivePhoto'
import { assembleLivePhoto } from '#internal/formats/livePhoto/livePhoto'
import { planLiveRepair } from '#internal/formats/livePhoto/repairLivePhoto'
import { readMotionPhoto, readPhoto } from '#internal/formats/motionPhoto/read'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { damagedCopies } from '../../../support/values/damagedCopies'
import { equalBytes } from '../../../support/values/equalBytes'
import { mayThrowFormatError, thrownFormatError } from '../../../support/values/failures'
import { buildMp4, fastStart, samplesOf } from '../../mp4/movie/sampleMp4'
import { heicOf } from '../motionPhoto/sampleHeic'
import { baselineJpeg, progressiveJpeg, withSegments } from '../motionPhoto/sampleJpeg'
import { sampleParts } from '../motionPhoto/sampleParts'
import { ID, movie, still, zipOf } from './sampleLivePhoto'

const test = suite('repair of a Live Photo')

const NEW = '11111111-2222-4333-8444-555555555555'
const { clip, takenAt } = sampleParts
/** Its index is behind the samples, as cameras write it. */
const cameraClip = buildMp4({ ...fastStart, order: ['ftyp', 'wide', 'mdat', 'moov'] })
/** What a camera says of a picture of 16 × 8. */
const cameraExif = { width: 16, height: 8, hasProfile: false, thumbnail: baselineJpeg, software: 'camera' }
const pairOf = (identifier: string) => assembleLivePhoto({ ...sampleParts, identifier })
const pairZip = (
  photo: Uint8Array,
  video: Uint8Array,
  names: readonly [string, string] = ['IMG_1.JPG', 'IMG_1.MOV'],
) => zipOf({ name: names[0], bytes: photo }, { name: names[1], bytes: video })

const plan = (zip: Uint8Array) => readNow(planLiveRepair({ size: zip.length }, NEW), zip)
const written = (parts: FileParts, zip: Uint8Array, size: number) =>
  readNow(readThrough(take({ size }, 0, size), parts), zip)

/** The mended ZIP, which must be a Live Photo in which nothing is wrong, and to which nothing more is done. */
function mended(zip: Uint8Array) {
  const { parts, size, after, files } = plan(zip)
  const bytes = written(parts, zip, size)
  const apple = after.galleries.find(({ gallery }) => gallery === 'apple')
  const verdict = [apple?.recognised, apple?.plays, apple?.timestamp, apple?.problems]
  assert.equal(verdict, ['yes', true, 'right', []])
  equalBytes(written(plan(bytes).parts, bytes, size), bytes)
  const { photo, still: image, movie: video } = readNow(findLivePair({ size }), bytes)
  return {
    photo,
    identifier: after.pair?.identifier,
    stillTimeUs: after.pair?.stillTimeUs,
    names: files.map(({ name }) => name),
    still: bytes.subarray(image.start, image.start + image.size),
    movie: bytes.subarray(video.start, video.start + video.size),
  }
}

const scanOf = (jpeg: Uint8Array) => stripJpeg(jpeg)?.bytes ?? new Uint8Array()
/** The samples of the pictures and the sound, which lie before the mark. */
const mediaOf = (video: Uint8Array) => samplesOf(video).slice(0, 2)

test('a pair in which nothing is wrong comes out as it is', () => {
  const zip = pairZip(still, movie)
  const { parts, size } = plan(zip)
  assert.equal(parts, [{ start: 0, end: zip.length }])
  assert.is(size, zip.length)
})

test('hev1 becomes hvc1, with and without another index', async () => {
  const hev1 = normalizeClip(new Uint8Array(await readFile('tests/fixtures/media/hev1.mp4')))
  const pair = assembleLivePhoto({ ...sampleParts, clip: hev1, identifier: ID })
  const zip = pairZip(pair.still, pair.movie)
  const found = mended(zip)
  assert.is(found.movie.length, pair.movie.length)
  assert.equal(samplesOf(found.movie), samplesOf(pair.movie))
  assert.equal(mediaOf(mended(pairZip(still, hev1)).movie).slice(0, 1), mediaOf(hev1).slice(0, 1))
})

test("two identifiers: the video gets the photo's, and no sample changes", () => {
  const found = mended(pairZip(still, pairOf(NEW).movie))
  assert.equal([found.identifier, found.stillTimeUs], [ID, 100_000])
  equalBytes(found.still, still)
  assert.equal(mediaOf(found.movie), mediaOf(movie))
})

test('a photo without an identifier gets that of the video, and keeps pixels, EXIF and thumbnail', () => {
  const photo = withSegments(progressiveJpeg, encodeExifSegment({ ...cameraExif, takenAt }))
  const found = mended(pairZip(photo, movie))
  assert.is(found.identifier, ID)
  equalBytes(scanOf(found.still), scanOf(photo))
  assert.equal([found.photo.exif?.software, found.photo.exif?.dateTime], ['camera', '2026:03:04 05:06:07'])
  equalBytes(found.photo.exif?.thumbnail ?? new Uint8Array(), baselineJpeg)
  equalBytes(found.movie, movie)
})

for (const [what, video] of [
  ['an MP4 with its index first', clip],
  ['an MP4 with its index last', cameraClip],
] as const) {
  test(`${what} and a plain photo get an identifier and the moment in the middle`, () => {
    const found = mended(pairZip(baselineJpeg, video))
    assert.is(found.identifier, NEW)
    assert.ok(Math.abs((found.stillTimeUs ?? 0) - 100_000) < 20_000, String(found.stillTimeUs))
    assert.equal(mediaOf(found.movie), mediaOf(video))
    equalBytes(scanOf(found.still), scanOf(baselineJpeg))
    assert.is(Buffer.from(found.movie).toString('latin1', 8, 12), 'qt  ')
  })
}

test('a moment outside the video is moved into it, and there is one track of it', () => {
  const far = movie.slice()
  // The length of the empty edit before the mark: 100 ms at 15360 ticks a second.
  const at = Buffer.from(far).indexOf('0000000200000600ffffffff', 0, 'hex')
  assert.ok(at > 0)
  new DataView(far.buffer, far.byteOffset).setUint32(at + 4, 5_000_000)
  const found = mended(pairZip(still, far))
  const marks = readMovie(found.movie).movie?.tracks.filter(({ codec }) => codec === 'mebx')
  assert.is(marks?.length, 1)
})

test("names become the photo's, without folders and what a file system cannot take", () => {
  for (const [photo, video, name] of [
    ['IMG_1.jpeg', 'other.mov', 'IMG_1'],
    ['a/b/IMG 2.JPG', 'IMG_3.MOV', 'IMG 2'],
    ['../../etc/x*y.jpg', 'z.mov', 'x_y'],
    ['.jpg', 'z.mov', 'IMG_0001'],
  ] as const)
    assert.equal(
      mended(pairZip(still, movie, [photo, video])).names,
      [`${name}.${photo.split('.').at(-1)?.toUpperCase()}`, `${name}.MOV`],
      photo,
    )
})

const refusal = (zip: Uint8Array, code: FormatErrorCode = 'irreparable') =>
  thrownFormatError(() => plan(zip), code).detail

test('what cannot be mended is refused with the reason', () => {
  const heic = heicOf({ xmp: '<x/>', movie: clip, itemsIn: 'file' })
  assert.match(refusal(pairZip(heic, movie, ['a.heic', 'a.mov'])), /HEIC without a content identifier/)
  const makerNote = asciiBytes('Nikon\0..................')
  const photo = withSegments(
    baselineJpeg,
    encodeExifSegment({ ...cameraExif, takenAt: undefined, makerNote }),
  )
  assert.match(refusal(pairZip(photo, movie)), /another maker's MakerNote/)
  assert.match(refusal(pairZip(baselineJpeg.subarray(0, -10), movie)), /photo is cut/)
  assert.match(refusal(pairZip(still, movie.subarray(0, -30))), /cannot be mended.*video is cut/)
  const three = ['a.jpg', 'b.jpg', 'c.mov'].map((name) => ({ name, bytes: name === 'c.mov' ? movie : still }))
  assert.match(refusal(zipOf(...three), 'no-live-photo'), /several photos or videos/)
})

test('no damage makes it fail in another way', () => {
  const zip = pairZip(baselineJpeg, cameraClip)
  assertProperty(
    fc.property(damagedCopies(zip, 6), (broken) => mayThrowFormatError(() => plan(broken))),
    { numRuns: 300 },
  )
})

test('a mended photo is none of a motion photo, and is read as a photo', () => {
  const { still: photo } = mended(pairZip(baselineJpeg, clip))
  assert.is(readMotionPhoto(photo), undefined)
  assert.is(readNow(readPhoto({ size: photo.length }), photo)?.exif?.contentIdentifier, NEW)
})

test.run()
