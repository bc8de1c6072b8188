import { readMotionPhoto } from '#internal/formats/motionPhoto/read'
import { assembleMotionPhoto } from '#internal/formats/newPhoto/assemble'
import {
  type MotionPhotoProfile,
  motionPhotoProfileNamed,
  PHONE_PROFILES,
} from '#internal/formats/profiles/profile'
import { assert, suite } from '#support/runner/suite'
import { sampleParts } from '../motionPhoto/sampleParts'

const test = suite('what is written for each phone')

const { clip } = sampleParts
const vendors = {
  microVideo: undefined,
  xiaomi: 'ExifIFD',
  oppoComment: 'oplus_8388608',
  oppoOwner: 'oplus',
  images: 1,
  vivo: 1,
}
/** Before the clip Samsung's block header of 24 bytes; after it a box header of 8 bytes and the trailer of 75. */
const universal = {
  ...vendors,
  google: 1,
  items: [
    ['Primary', 0, 24],
    ['MotionPhoto', clip.length + 8 + 75, 0],
  ],
  samsung: [0x0a30, 0x0a31],
  afterClip: 8 + 75,
  end: 'SEFT',
}
/** No other vendor's marks; the tail of 60 bytes counts the clip and 20 bytes more. */
const huawei = {
  google: 1,
  items: [
    ['Primary', 0, 0],
    ['MotionPhoto', clip.length + 60, 0],
  ],
  microVideo: undefined,
  samsung: undefined,
  xiaomi: undefined,
  oppoComment: undefined,
  oppoOwner: undefined,
  images: undefined,
  vivo: undefined,
  afterClip: 60,
  end: `LIVE_${clip.length + 20}`,
}

/** docs/phones.md: the profile of each maker, and what its galleries find in the file. */
const PHONES = {
  samsung: universal,
  xiaomi: universal,
  redmi: universal,
  poco: universal,
  oppo: universal,
  oneplus: universal,
  realme: universal,
  vivo: universal,
  iqoo: universal,
  pixel: universal,
  honor: huawei,
  huawei,
}

test('every maker that has a name is in this table', () => {
  assert.equal(Object.keys(PHONES).sort(), [...PHONE_PROFILES.keys(), 'huawei'].sort())
})

for (const [phone, expected] of Object.entries(PHONES)) {
  test(`${phone}: parts, tags and places`, () => {
    const profile = motionPhotoProfileNamed(phone.toUpperCase()) ?? motionPhotoProfileNamed(phone)
    assert.ok(profile)
    assert.equal(written(profile), expected)
  })
}

function written(profile: MotionPhotoProfile) {
  const file = assembleMotionPhoto({ ...sampleParts, profile })
  const photo = readMotionPhoto(file)
  const lastField = Buffer.from(file.subarray(-20)).toString('latin1')
  return {
    google: photo?.xmp?.motionPhoto,
    items: photo?.xmp?.items.map(({ semantic, length, padding }) => [semantic, length, padding]),
    microVideo: photo?.xmp?.microVideo,
    samsung: photo?.samsung?.blocks.map(({ type }) => type),
    xiaomi: photo?.exif?.xiaomiMark,
    oppoComment: photo?.exif?.userComment,
    oppoOwner: photo?.xmp?.oplus?.owner,
    images: photo?.mpf?.length,
    vivo: photo?.xmp?.vivo?.motionPhotoVersion,
    afterClip: file.length - Buffer.from(file).lastIndexOf(clip) - clip.length,
    end: lastField.endsWith('SEFT') ? 'SEFT' : lastField.trimEnd(),
  }
}

test.run()
