import { type ExifFields, encodeExifSegment, gpsTags, MAX_THUMBNAIL_BYTES } from '#internal/formats/exif/exif'
import { readExif } from '#internal/formats/exif/readExif'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'
import { isFormatError } from '../../../support/values/failures'
import { baselineJpeg, comment, jfif, skeleton, withSegments } from '../motionPhoto/sampleJpeg'
import { noExif } from '../motionPhoto/samplePhoto'

const test = suite('EXIF')

const takenAt = { year: 2026, month: 3, day: 4, hour: 5, minute: 6, second: 7, offsetMinutes: 120 }
const fields: ExifFields = {
  width: 4000,
  height: 3000,
  thumbnail: baselineJpeg,
  takenAt,
  software: 'Lantern Room 1.2.3',
  xiaomiTag: true,
  oppoComment: true,
}

const segment = encodeExifSegment(fields)
const tiff = segment.subarray(10)

/** The tags of each directory in the order in which they are written. */
function directories(bytes: Uint8Array): number[][] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const read = (start: number): number[][] => {
    const count = view.getUint16(start, true)
    const entries = Array.from({ length: count }, (_, i) => start + 2 + i * 12)
    const inner = entries.filter((at) => [0x8769, 0x8825].includes(view.getUint16(at, true)))
    const next = view.getUint32(start + 2 + count * 12, true)
    return [
      entries.map((at) => view.getUint16(at, true)),
      ...inner.flatMap((at) => read(view.getUint32(at + 8, true))),
      ...(next ? read(next) : []),
    ]
  }
  return read(view.getUint32(4, true))
}

test('the segment is APP1, Exif, little endian, and knows its length', () => {
  equalBytes(segment.subarray(0, 2), hex('ffe1'))
  assert.is(((segment[2] ?? 0) << 8) | (segment[3] ?? 0), segment.length - 2)
  equalBytes(segment.subarray(4, 18), hex('457869660000 49492a00 08000000'))
})

test('the tags of each directory ascend', () => {
  assert.equal(directories(tiff), [
    [0x0112, 0x011a, 0x011b, 0x0128, 0x0131, 0x0132, 0x0213, 0x8769],
    [0x8897, 0x9000, 0x9003, 0x9004, 0x9010, 0x9011, 0x9012, 0x9101, 0x9286, 0xa000, 0xa001, 0xa002, 0xa003],
    [0x0103, 0x011a, 0x011b, 0x0128, 0x0201, 0x0202],
  ])
})

test('place, maker and model are added in their order', () => {
  const place = { latitude: 48, longitude: 11, altitude: undefined }
  const full = encodeExifSegment({ ...fields, place, maker: 'Apple', model: 'iPhone 15' })
  const [primary, , gps] = directories(full.subarray(10))
  const expected = [0x010f, 0x0110, 0x0112, 0x011a, 0x011b, 0x0128, 0x0131, 0x0132, 0x0213, 0x8769, 0x8825]
  assert.equal(primary, expected)
  assert.equal(gps, [0, 1, 2, 3, 4, 0x12])
})

test('without a time there is no date and no offset', () => {
  const timeless = encodeExifSegment({ ...fields, takenAt: undefined })
  const [primary = [], photo = []] = directories(timeless.subarray(10))
  assert.not.ok(primary.includes(0x0132))
  assert.not.ok([0x9003, 0x9010, 0x9011].some((tag) => photo.includes(tag)))
})

test('what was written is read', () => {
  assert.equal(readExif(tiff), {
    ...noExif,
    dateTime: '2026:03:04 05:06:07',
    dateTimeOriginal: '2026:03:04 05:06:07',
    dateTimeDigitized: '2026:03:04 05:06:07',
    offsetTime: '+02:00',
    software: 'Lantern Room 1.2.3',
    orientation: 1,
    width: 4000,
    height: 3000,
    xiaomiMark: 'ExifIFD',
    userComment: 'oplus_8388608',
    thumbnail: baselineJpeg,
  })
})

test('an unknown offset and no vendor tags leave no trace', () => {
  const plain = encodeExifSegment({
    ...fields,
    takenAt: { ...takenAt, offsetMinutes: undefined },
    xiaomiTag: false,
    oppoComment: false,
  })
  assert.equal(directories(plain.subarray(10)).slice(0, 2), [
    [0x0112, 0x011a, 0x011b, 0x0128, 0x0131, 0x0132, 0x0213, 0x8769],
    [0x9000, 0x9003, 0x9004, 0x9101, 0xa000, 0xa001, 0xa002, 0xa003],
  ])
  const { xiaomiMark, userComment, offsetTime } = readExif(plain.subarray(10)) ?? {}
  assert.equal([xiaomiMark, userComment, offsetTime], [undefined, undefined, undefined])
})

test('the second has its fraction in tags of its own', () => {
  const exact = encodeExifSegment({ ...fields, takenAt: { ...takenAt, millisecond: 7 } }).subarray(10)
  assert.equal(directories(exact)[1]?.slice(8, 11), [0x9286, 0x9290, 0x9291])
  assert.is(readExif(exact)?.subSecOriginal, '007')
})

test('the thumbnail comes without its own metadata', () => {
  const dressed = withSegments(baselineJpeg, jfif, comment)
  equalBytes(encodeExifSegment({ ...fields, thumbnail: dressed }), segment)
})

/** A JPEG of exactly so many bytes. */
function jpegOf(size: number): Uint8Array {
  return skeleton({ scan: new Uint8Array(size - (skeleton({}).length - 3)) })
}

test('the largest thumbnail fits, whatever the other fields', () => {
  const thumbnail = jpegOf(MAX_THUMBNAIL_BYTES)
  assert.is(thumbnail.length, MAX_THUMBNAIL_BYTES)
  const largest = encodeExifSegment({ ...fields, thumbnail, software: 'x'.repeat(64) })
  assert.ok(largest.length < 65_536, `${largest.length} bytes`)
  equalBytes(readExif(largest.subarray(10))?.thumbnail ?? new Uint8Array(), thumbnail)
})

const refused: Record<string, Partial<ExifFields>> = {
  'a thumbnail one byte too large': { thumbnail: jpegOf(MAX_THUMBNAIL_BYTES + 1) },
  'a thumbnail that is cut': { thumbnail: baselineJpeg.subarray(0, -1) },
  'a thumbnail that is no JPEG': { thumbnail: hex('89504e47') },
  'no software': { software: '' },
  'software that is too long': { software: 'x'.repeat(65) },
  'software beyond ASCII': { software: 'Ламповая' },
  'software with a zero byte': { software: 'a\0b' },
}
for (const [name, change] of Object.entries(refused)) {
  test(`refused: ${name}`, () => {
    assert.throws(() => encodeExifSegment({ ...fields, ...change }), isFormatError('invalid-part'))
  })
}

test('a place is rounded without ever having 60 seconds, and below the sea its altitude is positive', () => {
  const tags = gpsTags({ latitude: -9.999_999_999, longitude: 0.5, altitude: -430 })
  assert.equal(tags.slice(1, 3), [
    { tag: 1, ascii: 'S' },
    {
      tag: 2,
      rationals: [
        [10, 1],
        [0, 1],
        [0, 1000],
      ],
    },
  ])
  assert.equal(tags.slice(5, 7), [
    { tag: 5, byteValues: [1] },
    { tag: 6, rationals: [[430_000, 1000]] },
  ])
})

test.run()
