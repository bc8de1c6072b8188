import * as assert from 'uvu/assert'
import { concatBytes } from '#core/bytes'
import { ServiceError } from '#core/errors'
import { assembleMotionPhoto, type MotionPhotoParts } from '#core/media/motionPhoto/assemble'
import { brokenEquations } from '#core/media/motionPhoto/equations'
import { encodeExifSegment } from '#core/media/motionPhoto/exif'
import { MOTION_PHOTO_PROFILES, type MotionPhotoProfile } from '#core/media/motionPhoto/profile'
import { readMotionPhoto } from '#core/media/motionPhoto/read'
import { encodeXmpSegment } from '#core/media/motionPhoto/xmp'
import { encodeBox } from '#core/media/mp4/boxes'
import { asciiBytes } from '#core/media/mp4/bytes'
import { normalizeClip } from '#core/media/mp4/normalizeClip'
import { suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { hex } from '../hex'
import { audioTrack, buildMp4, fastStart } from '../mp4/sampleMp4'
import { baselineJpeg, comment, jfif, progressiveJpeg, withSegments } from './sampleJpeg'

const test = suite('motion photo writer')

const clip = normalizeClip(buildMp4(fastStart))
const parts: MotionPhotoParts = {
  cover: progressiveJpeg,
  thumbnail: baselineJpeg,
  clip,
  presentationTimestampUs: 100_000,
  profile: 'universal',
  takenAt: { year: 2026, month: 3, day: 4, hour: 5, minute: 6, second: 7, offsetMinutes: undefined },
  software: 'Lantern Room 1.2.3',
}

function head(profile: MotionPhotoProfile, paddingBytes: number, tailBytes: number): Uint8Array {
  const exif = { ...parts, width: 16, height: 8, xiaomiTag: profile !== 'google' }
  const xmp = { profile, presentationTimestampUs: 100_000, paddingBytes, clipBytes: clip.length, tailBytes }
  return concatBytes([
    hex('ffd8'),
    encodeExifSegment(exif),
    encodeXmpSegment(xmp),
    progressiveJpeg.subarray(2),
  ])
}

/** Little endian, 32 bits. */
function u32le(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}

const samsungHeader = hex('0000 300a 10000000 4d6f74696f6e50686f746f5f44617461')
const tail = concatBytes([
  hex('00000053 66726565'),
  hex('0000 310a 13000000 4d6f74696f6e50686f746f5f56657273696f6e 6d707633'),
  hex('53454648 6b000000 02000000'),
  hex('0000 300a'),
  u32le(24 + clip.length + 8 + 31),
  u32le(24 + clip.length),
  hex('0000 310a 1f000000 1f000000 24000000 53454654'),
])

for (const profile of ['universal', 'legacy'] as const) {
  test(`${profile}: SOI, Exif, XMP, image, block header, clip, free box with the trailer`, () => {
    const expected = [head(profile, 24, clip.length + 83), samsungHeader, clip, tail]
    equalBytes(assembleMotionPhoto({ ...parts, profile }), concatBytes(expected))
  })
}

test('google: SOI, Exif, XMP, image, clip, end', () => {
  equalBytes(
    assembleMotionPhoto({ ...parts, profile: 'google' }),
    concatBytes([head('google', 0, clip.length), clip]),
  )
})

for (const profile of MOTION_PHOTO_PROFILES) {
  const file = assembleMotionPhoto({ ...parts, profile })
  const expected = { profile, clipBytes: clip.length }

  test(`${profile}: all equations hold`, () => assert.equal(brokenEquations(file, expected), []))

  test(`${profile}: another profile's equations do not`, () => {
    for (const other of MOTION_PHOTO_PROFILES) {
      assert.is(brokenEquations(file, { ...expected, profile: other }).length > 0, other !== profile, other)
    }
  })

  test(`${profile}: a byte too few or too many anywhere after the image breaks one`, () => {
    const end = readMotionPhoto(file)?.primaryLength ?? 0
    for (const at of [end, end + 10, end + 40, file.length - 60, file.length - 10, file.length - 1]) {
      const less = concatBytes([file.subarray(0, at), file.subarray(at + 1)])
      const more = concatBytes([file.subarray(0, at), Uint8Array.of(0x55), file.subarray(at)])
      assert.ok(brokenEquations(less, expected).length > 0, `one less at ${at}`)
      assert.ok(brokenEquations(more, expected).length > 0, `one more at ${at}`)
    }
  })
}

const universal = assembleMotionPhoto(parts)
const legacy = assembleMotionPhoto({ ...parts, profile: 'legacy' })
const clipAt = readMotionPhoto(universal)?.clip?.offset ?? 0

/** The same file with the last digit of a number in its XMP changed. `attribute` ends before that digit's quote. */
function withXmp(file: Uint8Array, attribute: RegExp): Uint8Array {
  const found = attribute.exec(Buffer.from(file).toString('latin1'))
  assert.ok(found, `${attribute} is in the file`)
  const at = (found?.index ?? 0) + (found?.[0].length ?? 0) - 1
  const digit = String.fromCharCode(file[at] ?? 0)
  return withBytes(file, at, Buffer.from(String((Number(digit) + 1) % 10), 'latin1'))
}

function withBytes(file: Uint8Array, at: number, bytes: Uint8Array): Uint8Array {
  const changed = file.slice()
  changed.set(bytes, at)
  return changed
}

const tampered: Record<string, [Uint8Array, string[], MotionPhotoProfile?]> = {
  'a wrong padding': [withXmp(universal, /Padding="24/), ['primary + padding + length = file size']],
  'a padding on the clip': [
    withXmp(universal, /Padding="0/),
    ['the primary item has length 0, the clip padding 0'],
  ],
  'a wrong length': [
    withXmp(universal, /Item:Length="[1-9]\d+/),
    ['primary + padding + length = file size', 'file size - length = first byte of the clip'],
  ],
  'a directory in another order': [
    withBytes(universal, Buffer.from(universal).indexOf('"Primary"'), asciiBytes('"Another"')),
    ['the directory is Primary, MotionPhoto'],
  ],
  'a wrong OPPO length': [withXmp(universal, /VideoLength="\d+/), ['OpCamera:VideoLength = clip']],
  'a wrong MicroVideo offset': [
    withXmp(legacy, /MicroVideoOffset="\d+/),
    ['MicroVideoOffset = clip start to end of file'],
    'legacy',
  ],
  'a block header that is not one': [
    withBytes(universal, clipAt - 10, hex('00')),
    ['the block header lies before the clip'],
  ],
  'a Samsung entry of another size': [
    withBytes(universal, universal.length - 24, u32le(23 + clip.length)),
    ['the Samsung entry is the clip'],
  ],
  'a Samsung entry that points elsewhere': [
    withBytes(universal, universal.length - 28, u32le(1)),
    ['the Samsung trailer lists its version and the clip', 'the Samsung entry is the clip'],
  ],
  'a wrapper of another type': [
    withBytes(universal, clipAt + clip.length + 4, hex('786d6c20')),
    ['a free box holds all that follows the clip'],
  ],
  'a wrapper that is too long': [
    withBytes(universal, clipAt + clip.length, hex('00000054')),
    ['a free box holds all that follows the clip'],
  ],
}
for (const [name, [file, broken, profile = 'universal']] of Object.entries(tampered)) {
  test(`found out: ${name}`, () => {
    assert.equal(brokenEquations(file, { profile, clipBytes: clip.length }), broken)
  })
}

test('found out: what is no motion photo at all', () => {
  const expected = { profile: 'google', clipBytes: clip.length } as const
  assert.equal(brokenEquations(baselineJpeg, expected), ['the file reads as a motion photo'])
})

test('the cover comes without its own metadata', () => {
  const dressed = concatBytes([withSegments(progressiveJpeg, jfif, comment), hex('000102')])
  equalBytes(assembleMotionPhoto({ ...parts, cover: dressed }), universal)
})

test('another motion photo can be the cover', () => {
  equalBytes(assembleMotionPhoto({ ...parts, cover: legacy }), universal)
})

test('the parts are not touched', () => {
  const copies = { cover: parts.cover.slice(), thumbnail: parts.thumbnail.slice(), clip: parts.clip.slice() }
  assembleMotionPhoto(parts)
  equalBytes(parts.cover, copies.cover)
  equalBytes(parts.thumbnail, copies.thumbnail)
  equalBytes(parts.clip, copies.clip)
})

test('a file that would be read otherwise than it was meant is not handed out', () => {
  // Samples whose last bytes look like a Samsung directory: a gallery would look for blocks that do not exist.
  const disguised = clip.slice()
  disguised.set(hex('53454648 6b000000 00000000 0c000000 53454654'), clip.length - 20)
  assert.throws(
    () => assembleMotionPhoto({ ...parts, clip: disguised, profile: 'google' }),
    (error: unknown) =>
      error instanceof ServiceError &&
      error.code === 'internal' &&
      /does not hold: .*only its profile brings a Samsung trailer/.test(String(error.cause)),
  )
})

const silent = normalizeClip(buildMp4({ ...fastStart, tracks: [audioTrack] }))

const refused: Record<string, Partial<MotionPhotoParts>> = {
  'a cover that is no JPEG': { cover: hex('89504e47') },
  'a cover that is cut': { cover: progressiveJpeg.subarray(0, -1) },
  'a thumbnail that is no JPEG': { thumbnail: clip },
  'a clip as ffmpeg wrote it': { clip: buildMp4(fastStart) },
  'a clip that is cut': { clip: clip.subarray(0, -1) },
  'a clip with a box too many': { clip: concatBytes([clip, encodeBox('free')]) },
  'a clip without video': { clip: silent },
  'a time before the clip': { presentationTimestampUs: -1 },
  'a time after the clip': { presentationTimestampUs: 200_001 },
  'a time that is no whole microsecond': { presentationTimestampUs: 0.5 },
  'a time that is no number': { presentationTimestampUs: Number.NaN },
}
for (const [name, change] of Object.entries(refused)) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => assembleMotionPhoto({ ...parts, ...change }),
      (error: unknown) => error instanceof ServiceError && error.code === 'internal',
    )
  })
}

test.run()
