import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { readMotionPhoto } from '#internal/formats/motionPhoto/read'
import { assembleMotionPhoto, type MotionPhotoParts } from '#internal/formats/newPhoto/assemble'
import { brokenEquations } from '#internal/formats/newPhoto/equations'
import { MOTION_PHOTO_PROFILES, type MotionPhotoProfile } from '#internal/formats/profiles/profile'
import { hex, u32le } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { baselineJpeg } from '../motionPhoto/sampleJpeg'
import { sampleParts } from '../motionPhoto/sampleParts'

const test = suite('motion photo equations')

const { clip } = sampleParts
const parts: MotionPhotoParts = {
  ...sampleParts,
  profile: 'universal',
  takenAt: { ...sampleParts.takenAt, offsetMinutes: undefined },
}

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
  'a wrong padding': [withXmp(universal, /Padding="24/), ['pictures + padding + length = file size']],
  'a padding on the clip': [
    withXmp(universal, /Padding="0/),
    ['the primary item has length 0, the clip padding 0'],
  ],
  'a wrong length': [
    withXmp(universal, /Item:Length="[1-9]\d+/),
    ['pictures + padding + length = file size', 'file size - length = first byte of the clip'],
  ],
  'a directory in another order': [
    withBytes(universal, Buffer.from(universal).indexOf('"Primary"'), asciiBytes('"Another"')),
    ['the directory is Primary, MotionPhoto, with a gain map between them if there is one'],
  ],
  'a wrong OPPO length': [withXmp(universal, /VideoLength="\d+/), ['OpCamera:VideoLength = clip']],
  'no Xiaomi tag in ExifIFD': [
    withBytes(universal, find(universal, hex('9788 0100')), hex('9688')),
    ['only its profile brings the Xiaomi tag, and into ExifIFD'],
  ],
  'another UserComment': [
    withBytes(universal, find(universal, asciiBytes('oplus_8388608')) + 12, hex('39')),
    ["only its profile brings the UserComment of OPPO's cameras"],
  ],
  'an MPF index with another size': [
    withBytes(universal, find(universal, asciiBytes('MPF\0')) + 58, u32le(1)),
    ['MPF lists the pictures that there are, where they are'],
  ],
  'no MPF index': [
    withBytes(universal, find(universal, asciiBytes('MPF\0')), hex('4d5046 20')),
    ['only its profile and a gain map bring MPF', 'MPF lists the pictures that there are, where they are'],
  ],
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
const huawei = assembleMotionPhoto({ ...parts, profile: 'huawei' })
tampered['a length in the tail that leads elsewhere'] = [
  withBytes(huawei, huawei.length - 15, hex('39')),
  ["Huawei's tail leads to the clip"],
  'huawei',
]
tampered['a tail without a frame'] = [
  withBytes(huawei, huawei.length - 60, hex('3f')),
  ["Huawei's tail names a frame"],
  'huawei',
]
for (const [name, [file, broken, profile = 'universal']] of Object.entries(tampered)) {
  test(`found out: ${name}`, () => {
    assert.equal(brokenEquations(file, { profile, clipBytes: clip.length }), broken)
  })
}

test('found out: what is no motion photo at all', () => {
  const expected = { profile: 'google', clipBytes: clip.length } as const
  assert.equal(brokenEquations(baselineJpeg, expected), ['the file reads as a motion photo'])
})

function find(file: Uint8Array, bytes: Uint8Array): number {
  const at = Buffer.from(file).indexOf(bytes)
  assert.ok(at > 0)
  return at
}

test.run()
