import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import fc from 'fast-check'
import { readMotionPhoto } from '#internal/formats/motionPhoto/read'
import { assembleMotionPhoto } from '#internal/formats/newPhoto/assemble'
import { MOTION_PHOTO_PROFILES, PROFILE_TRAITS } from '#internal/formats/profiles/profile'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { damagedCopies } from '../../../support/values/damagedCopies'
import { equalBytes } from '../../../support/values/equalBytes'
import { baselineJpeg, jfif, withSegments } from './sampleJpeg'
import { sampleParts } from './sampleParts'
import { clip, description, phones, video, withDirectory, withXmp } from './samplePhones'

const test = suite('motion photo reader')

for (const profile of MOTION_PHOTO_PROFILES) {
  const file = assembleMotionPhoto({ ...sampleParts, profile })
  const { trailer, xiaomiTag } = PROFILE_TRAITS[profile]

  test(`${profile}: what was written is read`, () => {
    const photo = readMotionPhoto(file)
    const end = (photo?.clip?.offset ?? 0) + (photo?.clip?.length ?? 0)
    equalBytes(file.subarray(photo?.clip?.offset, end), clip)
    equalBytes(photo?.exif?.thumbnail ?? new Uint8Array(), baselineJpeg)
    assert.is(photo?.primaryLength, (photo?.clip?.offset ?? 0) - (trailer === 'samsung' ? 24 : 0))
    assert.equal([photo?.frame?.width, photo?.frame?.height], [16, 8])
    assert.is(photo?.xmp?.presentationTimestampUs, 100_000)
    const { dateTime, orientation, xiaomiMark } = photo?.exif ?? {}
    assert.equal([dateTime, orientation], ['2026:03:04 05:06:07', 1])
    assert.is(xiaomiMark, xiaomiTag ? 'ExifIFD' : undefined)
    assert.is(photo?.samsung?.blocks.length, trailer === 'samsung' ? 2 : undefined)
  })

  test(`${profile}: no truncation throws or finds a clip that is not there`, () => {
    const whole = readMotionPhoto(file)
    for (let length = 0; length < file.length; length++) {
      const photo = readMotionPhoto(file.subarray(0, length))
      const end = (photo?.clip?.offset ?? 0) + (photo?.clip?.length ?? 0)
      assert.ok(end <= length, `${length} bytes`)
      if (photo?.clip) assert.is(photo.clip.offset, whole?.clip?.offset, `${length} bytes`)
    }
  })

  test(`${profile}: no byte changed anywhere makes it throw`, () => {
    assertProperty(
      fc.property(damagedCopies(file), (broken) => {
        const photo = readMotionPhoto(broken)
        assert.ok((photo?.clip?.offset ?? 0) + (photo?.clip?.length ?? 0) <= broken.length)
      }),
      { numRuns: 500 },
    )
  })
}

test('no bytes at all make it throw', () => {
  assertProperty(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      readMotionPhoto(bytes)
      readMotionPhoto(concatBytes([hex('ffd8'), bytes]))
      readMotionPhoto(concatBytes([hex('ffd8'), bytes, asciiBytes('SEFT')]))
    }),
  )
})

function clipOf(file: Uint8Array): Uint8Array | undefined {
  const found = readMotionPhoto(file)?.clip
  return found && file.subarray(found.offset, found.offset + found.length)
}

for (const [name, file] of Object.entries(phones)) {
  test(name, () => equalBytes(clipOf(file) ?? new Uint8Array(), clip))
}

const none: Record<string, Uint8Array> = {
  'a photo': withSegments(baselineJpeg, jfif),
  'a photo with other XMP': withXmp(baselineJpeg, description('dc:title="x"')),
  'an MP4 after a photo, without a mark': concatBytes([baselineJpeg, clip]),
  'an MP4': clip,
  'a photo with a Samsung trailer of something else': concatBytes([
    baselineJpeg,
    hex('0000 010a 02000000 6162 31'),
    hex('53454648 6b000000 01000000 0000 010a 0b000000 0b000000 18000000 53454654'),
  ]),
}
for (const [name, file] of Object.entries(none)) {
  test(`no motion photo: ${name}`, () => assert.is(readMotionPhoto(file), undefined))
}

test('a photo that lost its clip is still marked, and has none', () => {
  const photo = readMotionPhoto(withDirectory(video(clip.length)))
  assert.is(photo?.xmp?.motionPhoto, 1)
  assert.is(photo?.clip, undefined)
})

test('a cover that is cut does not hide the clip', () => {
  const file = concatBytes([withDirectory(video(clip.length)).subarray(0, -2), clip])
  assert.is(readMotionPhoto(file)?.primaryLength, undefined)
  equalBytes(clipOf(file) ?? new Uint8Array(), clip)
})

test.run()
