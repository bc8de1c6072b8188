import sharp from 'sharp'
import { concatBytes } from '#core/bytes'
import type { ErrorCode } from '#core/errors'
import { inspect } from '#core/formats/motionPhoto/inspect'
import { readNow } from '#core/formats/source/reading'
import { zipPieces } from '#core/formats/zip/zip'
import { type OutputProfile, outputFiles } from '#core/media/convert/outputFiles'
import { compareWithDonor } from '#core/media/photos/compareWithDonor'
import { readDonor } from '#core/media/photos/readDonor'
import { assert, suite } from '#support/runner/suite'
import { thrownRefusal } from '#support/values/failures'
import { sampleParts } from '../../formats/motionPhoto/sampleParts'

const test = suite('a donor')

const takenAt = { year: 2024, month: 5, day: 6, hour: 9, minute: 8, second: 9, offsetMinutes: 120 }
const marks = {
  comment: 'oplus_8388640',
  owner: 'oplus',
  oLivePhotoVersion: 3,
  vivoVersion: 2,
  vivoSource: 1,
  mediaKitVersion: '2.0.1.7',
}

function photo(profile: OutputProfile, more: object = {}): Uint8Array {
  const files = outputFiles(profile, {
    ...sampleParts,
    takenAt,
    namedAt: takenAt,
    maker: 'OnePlus',
    model: 'PJZ110',
    ...more,
  })
  return files.length === 1 && files[0] ? files[0].bytes : concatBytes(zipPieces(files, takenAt))
}

test('gives maker, model and the marks of its family, which a photo then has', () => {
  const donor = readDonor(photo('universal', { marks }))
  const { maker, model, family, profile } = donor
  assert.equal([maker, model, family, profile], ['OnePlus', 'PJZ110', 'oppo', 'universal'])
  assert.equal(donor.marks, marks)
  const again = readDonor(photo('universal', { marks: donor.marks }))
  assert.equal(again.marks, marks)
})

for (const [profile, family] of [
  ['google', 'google'],
  ['huawei', 'huawei'],
  ['apple', 'apple'],
] as const) {
  test(`of the profile ${profile} asks for that profile`, () => {
    const donor = readDonor(photo(profile))
    assert.equal([donor.family, donor.profile], [family, profile])
  })
}

test('is compared with a photo', () => {
  const ours = photo('google', { maker: undefined, model: undefined })
  const inspection = readNow(inspect({ size: ours.length }), ours)
  const differences = compareWithDonor(inspection, readDonor(photo('universal', { marks })))
  const of = (name: string) => differences.find(({ what }) => what === name)
  assert.equal(of('maker'), { what: 'maker', photo: null, donor: 'OnePlus' })
  assert.equal(of('UserComment'), { what: 'UserComment', photo: null, donor: 'oplus_8388640' })
  assert.equal(of('Samsung trailer')?.donor, 'present')
  assert.is(of('MotionPhoto (XMP)'), undefined)
  const same = photo('universal', { marks })
  assert.equal(compareWithDonor(readNow(inspect({ size: same.length }), same), readDonor(same)), [])
})

test('that is a still of another kind, or no photo, is refused with what was found and what to do', async () => {
  const still = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#08f' } })
    .withExif({ IFD0: { Make: 'Canon', Model: 'EOS R5' } })
    .jpeg()
    .toBuffer()
  const zip = concatBytes(zipPieces([{ name: 'a', bytes: still }], takenAt))
  const refusals: readonly (readonly [Uint8Array, ErrorCode, RegExp])[] = [
    [
      still,
      'unprocessable',
      /donor is a still: a JPEG of 40 by 30 pixels by Canon EOS R5.*motion photos turned on/,
    ],
    [await sharp(still).png().toBuffer(), 'unsupported-media', /donor cannot be used\. The file is a PNG/],
    [new Uint8Array(), 'invalid-request', /donor cannot be used\. The file is empty/],
    [zip, 'unprocessable', /The ZIP is no Live Photo/],
  ]
  for (const [bytes, code, detail] of refusals)
    assert.match(thrownRefusal(() => readDonor(bytes), code).detail, detail)
})

test.run()
