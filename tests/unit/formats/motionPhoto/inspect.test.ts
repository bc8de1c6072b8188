import { readFile } from 'node:fs/promises'
import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { normalizeClip } from '@lantern-room/mp4/clip'
import type { FormatErrorCode } from '@lantern-room/mp4/source'
import { readNow } from '@lantern-room/mp4/source'
import fc from 'fast-check'
import { encodeTiff } from '#internal/formats/exif/tiff'
import { encodeSegment } from '#internal/formats/jpeg/jpeg'
import { encodeHuaweiTail } from '#internal/formats/motionPhoto/huawei'
import { checkPhotoHead, inspect } from '#internal/formats/motionPhoto/inspect'
import { assembleMotionPhoto } from '#internal/formats/newPhoto/assemble'
import {
  GALLERIES,
  type Gallery,
  MOTION_PHOTO_PROFILES,
  type MotionPhotoProfile,
} from '#internal/formats/profiles/profile'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { damagedCopies } from '../../../support/values/damagedCopies'
import { isFormatError, mayThrowFormatError } from '../../../support/values/failures'
import { heicOf } from './sampleHeic'
import { baselineJpeg, jfif, withSegments } from './sampleJpeg'
import { sampleParts } from './sampleParts'
import { clip, description, motion, phones, primary, video, withDirectory, withMoment } from './samplePhones'

const test = suite('inspect')

const look = (file: Uint8Array) => readNow(inspect({ size: file.length }), file)

/** The galleries that recognise a file, with a question mark where that is unsure. */
function recognisedBy(file: Uint8Array): string {
  return look(file)
    .galleries.filter(({ recognised }) => recognised !== 'no')
    .map(({ gallery, recognised }) => (recognised === 'yes' ? gallery : `${gallery}?`))
    .join(' ')
}

function problemsOf(file: Uint8Array, gallery: Gallery): string {
  const verdict = look(file).galleries.find((one) => one.gallery === gallery)
  return (verdict?.problems ?? []).map(({ code }) => code).join(' ')
}

const universal = assembleMotionPhoto({ ...sampleParts, profile: 'universal' })

const own: Readonly<Record<MotionPhotoProfile, string>> = {
  universal: 'google samsung xiaomi oppo vivo android',
  google: 'google android',
  legacy: 'google samsung xiaomi vivo android',
  huawei: 'google huawei android',
}
for (const profile of MOTION_PHOTO_PROFILES) {
  test(`our profile ${profile} is recognised by ${own[profile]}`, () => {
    assert.is(recognisedBy(assembleMotionPhoto({ ...sampleParts, profile })), own[profile])
  })
}

const samsung = 'samsung'
const known: Readonly<Record<string, string>> = {
  'Pixel: a container directory, the clip at the end': 'google android',
  'Pixel with a gain map before the clip': 'google android',
  'old Pixel and Xiaomi: MicroVideo alone': 'google android',
  'old Samsung: a trailer alone': samsung,
  'new Samsung: a directory whose length counts the trailer': 'google samsung android',
  'OPPO: a length that is 131 too short, two videos, a block between them': 'android',
  'a length that leads nowhere, and a padding that leads to the clip': 'android',
  'a second video right after the first': 'google android',
  'Huawei: a text of 60 bytes after the clip': 'google android',
  'a mark and no directory, the clip right after the image': '',
  'motion photo XMP in the second packet': 'google android',
}
for (const [name, file] of Object.entries(phones)) {
  test(`${name}: recognised by ${known[name] || 'none'}`, () => assert.is(recognisedBy(file), known[name]))
}

const google = withDirectory(video(clip.length + 60))

test('Huawei finds the clip by the tail', () => {
  const file = concatBytes([google, clip, encodeHuaweiTail(clip.length, 1)])
  assert.is(recognisedBy(file), 'google huawei android')
  const problems = (length: number, coverFrame: number) =>
    problemsOf(concatBytes([google, clip, encodeHuaweiTail(length, coverFrame)]), 'huawei')
  assert.is(problems(clip.length, 1), '')
  assert.is(problems(clip.length, 99), 'timestamp-wrong')
  assert.is(problems(9, 1), 'huawei-tail')
})

test("Xiaomi's tag in IFD0 is reported as at the wrong place", () => {
  const tiff = encodeTiff([[{ tag: 0x8897, byteValues: [1] }]])
  const exif = encodeSegment(0xe1, concatBytes([asciiBytes('Exif\0\0'), tiff]))
  const file = concatBytes([withSegments(withDirectory(video(clip.length)), exif), clip])
  assert.is(problemsOf(file, 'xiaomi'), 'xiaomi-place timestamp-missing')
})

test('ColorOS needs bit 23 in its UserComment, and is confused by MicroVideo', () => {
  const at = Buffer.from(universal).indexOf('oplus_8388608')
  const other = universal.slice()
  other.set(asciiBytes('oplus_4194304'), at)
  assert.is(problemsOf(other, 'oppo'), 'oppo-comment')
  assert.is(recognisedBy(other), 'google samsung xiaomi oppo? vivo android')
  assert.is(problemsOf(assembleMotionPhoto({ ...sampleParts, profile: 'legacy' }), 'oppo'), 'no-micro-video')
})

test('a moment outside the clip, and none, are reported', () => {
  const timestamp = (us: string) => look(withMoment(us)).galleries[0]?.timestamp
  assert.equal(['0', '100000', '300000'].map(timestamp), ['right', 'right', 'right'])
  assert.equal(['300001', '-1', '-2', 'x'].map(timestamp), ['wrong', 'missing', 'wrong', 'missing'])
})

test('a clip that cannot be played is recognised, and does not play', () => {
  const broken = clip.slice()
  broken.set(asciiBytes('xvid'), Buffer.from(clip).indexOf('avc1'))
  const file = concatBytes([withDirectory(video(clip.length)), broken])
  const [verdict] = look(file).galleries
  assert.equal([verdict?.recognised, verdict?.plays], ['yes', false])
  assert.is(problemsOf(file, 'google'), 'clip-unplayable')
})

test('a clip that phones cannot decode is recognised, does not play, and says what to do', async () => {
  const judged = async (name: string) => {
    const mp4 = new Uint8Array(await readFile(`tests/fixtures/media/${name}.mp4`))
    const { clip: facts, galleries } = look(
      assembleMotionPhoto({ ...sampleParts, profile: 'google', clip: normalizeClip(mp4) }),
    )
    const [google, ...others] = galleries
    assert.is(google?.recognised, 'yes')
    const codes = google?.problems.map(({ code }) => code).join(' ')
    return { facts, plays: google?.plays, codes, detail: google?.problems[0]?.detail, others }
  }
  const ten = await judged('h264-high10')
  assert.equal([ten.plays, ten.codes], [false, 'clip-codec'])
  assert.match(ten.detail ?? '', /H\.264 High 10 with 10 bits and 4:2:0.*quality=preview/)
  assert.equal([ten.facts?.format?.profile, ten.facts?.format?.bitDepth], ['High 10', 10])
  const mirrored = await judged('mirrored-matrix')
  assert.equal([mirrored.plays, mirrored.codes], [false, 'clip-mirrored'])
  const hev1 = await judged('hev1')
  assert.equal([hev1.plays, hev1.codes], [true, ''])
  assert.ok(hev1.facts?.problems.some(({ code }) => code === 'clip-hev1'))
})

test('a photo that lost its clip says so to every gallery', () => {
  const file = withDirectory(video(clip.length))
  assert.is(recognisedBy(file), '')
  for (const gallery of GALLERIES) {
    assert.is(problemsOf(file, gallery), gallery === 'apple' ? 'apple-pair' : 'has-clip', gallery)
  }
})

test('a HEIC with a motion photo box is read', () => {
  const xmp = description(motion, primary + video(68))
  const file = heicOf({ xmp, movie: clip, itemsIn: 'file' })
  assert.is(recognisedBy(file), 'google android')
  assert.is(look(file).photo.exif?.dateTime, '2026:03:04 05:06:07')
  assert.is(look(file).clip?.frames, 6)
})

const refused: Record<string, readonly [Uint8Array, FormatErrorCode, RegExp]> = {
  'a still photo': [withSegments(baselineJpeg, jfif), 'no-video', /without a video/],
  'a video': [clip, 'unknown-format', /of which a motion photo can be made/],
  'a PNG': [hex('89504e470d0a1a0a00000000'), 'unknown-format', /a PNG/],
  'a text': [asciiBytes('hello, world'), 'unknown-format', /neither/],
  nothing: [new Uint8Array(), 'empty', /empty/],
}
for (const [name, [file, code, detail]] of Object.entries(refused)) {
  test(`refused: ${name}`, () => {
    const isRight = isFormatError(code, detail)
    assert.throws(() => look(file), isRight)
    if (code !== 'no-video') assert.throws(() => checkPhotoHead(file.subarray(0, 12)), isRight)
  })
}

test('no changed bytes make it throw anything but a refusal', () => {
  const files = [universal, heicOf({ xmp: description(motion), movie: clip, itemsIn: 'idat' })]
  const broken = fc.oneof(...files.map((file) => damagedCopies(file)))
  assertProperty(
    fc.property(broken, (file) => mayThrowFormatError(() => look(file))),
    { numRuns: 500 },
  )
})

test.run()
