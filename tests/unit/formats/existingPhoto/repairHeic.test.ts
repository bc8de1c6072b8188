import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { encodeBox } from '@lantern-room/mp4/boxes'
import { bytesOfParts, bytesSource, readNow } from '@lantern-room/mp4/source'
import { planRepair } from '#internal/formats/existingPhoto/repair'
import { readHeic } from '#internal/formats/heic/heic'
import { encodeHeicTrailer } from '#internal/formats/motionPhoto/samsung'
import type { MotionPhotoProfile } from '#internal/formats/profiles/profile'
import { readXmpPacket } from '#internal/formats/xmp/readXmp'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { collect } from '../../../support/values/collect'
import { equalBytes } from '../../../support/values/equalBytes'
import { isFormatError } from '../../../support/values/failures'
import { heicOf } from '../motionPhoto/sampleHeic'
import { clip, description, item, motion, video } from '../motionPhoto/samplePhones'

const test = suite('repair of a HEIC')

async function mend(file: Uint8Array, profile: MotionPhotoProfile = 'universal') {
  const repair = readNow(planRepair({ size: file.length }, profile), file)
  return { ...repair, bytes: concatBytes(await collect(bytesOfParts(repair.parts, bytesSource(file)))) }
}

const wrong = description(motion, item('image/heic', 'Primary', 0, 0) + video(68)).replaceAll(
  'GCamera',
  'Camera',
)
const samsungTail = encodeHeicTrailer({ offset: 17, length: 5 })
const heic = (tail?: Uint8Array) =>
  heicOf({ xmp: wrong, movie: clip, itemsIn: 'file', ...(tail && { tail }) })
const plain = heic()
const unboxed = heicOf({ xmp: wrong.replace('"68"', `"${clip.length}"`), movie: clip, itemsIn: 'file' })

const layouts: Record<string, Uint8Array> = {
  "Google's: a clip in mpvd": plain,
  'XMP and EXIF in idat': heicOf({ xmp: wrong, movie: clip, itemsIn: 'idat' }),
  "Samsung's: the directory in mpvd, with other numbers": heic(samsungTail),
  'the directory behind mpvd': concatBytes([plain, samsungTail]),
  'a clip without a box': concatBytes([unboxed.subarray(0, -clip.length - 8), clip]),
  'a box of size 0': concatBytes([
    plain.subarray(0, -clip.length - 8),
    hex('00000000'),
    plain.subarray(-clip.length - 4),
  ]),
}
for (const [name, file] of Object.entries(layouts)) {
  test(`${name}: lengths, places and marks are right, and no picture moves`, async () => {
    const { bytes, after } = await mend(file)
    const recognised = after.galleries.filter(({ recognised: verdict }) => verdict === 'yes')
    assert.is(recognised.map(({ gallery }) => gallery).join(' '), 'google samsung xiaomi oppo vivo android')
    const read = readNow(readHeic({ size: bytes.length }), bytes)
    const { start = 0, end } = read?.motionPhotoBox ?? {}
    assert.is(end, bytes.length, 'the box is the last one')
    equalBytes(bytes.subarray(start, start + clip.length), clip)
    assert.equal(
      readXmpPacket(read?.xmp ?? '').items.map(({ mime, length, padding }) => [mime, length, padding]),
      [
        ['image/heic', 0, 8],
        ['video/mp4', bytes.length - start, 0],
      ],
    )
    const mark = Buffer.from(bytes).indexOf('MotionPhoto_Datampv2')
    if (mark >= 0) {
      const numbers = new DataView(bytes.buffer, bytes.byteOffset + mark + 20)
      assert.equal([numbers.getUint32(0), numbers.getUint32(4)], [start, clip.length])
    }
    assert.is(Buffer.from(bytes).includes(':MotionPhoto="1" Camera'), false, 'the old packet is blanked')
    equalBytes((await mend(bytes)).bytes, bytes, 'nothing is left to mend')
  })
}

const refused: Record<string, readonly [Uint8Array, RegExp, MotionPhotoProfile?]> = {
  'the profile huawei': [plain, /no place for the tail of the profile huawei/, 'huawei'],
  'a video that is cut': [plain.subarray(0, -9), /has no video/],
  'boxes behind the video': [concatBytes([plain, encodeBox('mdat', hex('00'))]), /not the last thing/],
  'no XMP': [
    Buffer.from(
      Buffer.from(plain).toString('latin1').replace('application/rdf+xml', 'application/rdf-xml'),
      'latin1',
    ),
    /a HEIC without XMP/,
  ],
  'XMP that overlaps its index': [withPlace(0), /XMP|no room/],
  'XMP behind the end': [withPlace(0xffffff), /a HEIC without XMP/],
}
for (const [name, [file, detail, profile = 'universal']] of Object.entries(refused)) {
  test(`refused: ${name}`, () => {
    const repair = () => readNow(planRepair({ size: file.length }, profile), file)
    assert.throws(repair, isFormatError('irreparable', detail))
  })
}

/** The sample whose XMP lies elsewhere, by its index. */
function withPlace(offset: number): Uint8Array {
  const file = plain.slice()
  const row = Buffer.from(file).indexOf(asciiBytes('iloc')) + 4 + 8 + 16 + 8
  new DataView(file.buffer).setUint32(row, offset)
  return file
}

test.run()
