import { asciiBytes, concatBytes, latin1, viewOf } from '@lantern-room/base/bytes'
import type { FileParts } from '@lantern-room/mp4/source'
import { readNow } from '@lantern-room/mp4/source'
import fc from 'fast-check'
import { patchExif } from '#internal/formats/exif/patchExif'
import { encodeTiff } from '#internal/formats/exif/tiff'
import { walkJpeg } from '#internal/formats/jpeg/jpeg'
import {
  changeHeader,
  fitsExif,
  type HeaderChange,
  MAX_EXIF_BYTES,
  readImageHeader,
} from '#internal/formats/motionPhoto/imageHeader'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { equalBytes } from '../../../support/values/equalBytes'
import { comment, jfif, skeleton } from './sampleJpeg'

const test = suite('metadata of a JPEG')

/** By hand: 0xFF, the marker, the length with its own two bytes, the payload. */
function segment(marker: number, ...payload: readonly (string | Uint8Array)[]): Uint8Array {
  const bytes = concatBytes(payload.map((part) => (typeof part === 'string' ? asciiBytes(part) : part)))
  const size = bytes.length + 2
  return concatBytes([Uint8Array.of(0xff, marker, size >> 8, size & 255), bytes])
}
const exif = (tiff: string) => segment(0xe1, 'Exif\0\0', tiff)
const xmp = (packet: string) => segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', packet)
const motion = '<a xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" GCamera:MotionPhoto="1"/>'
const icc = segment(0xe2, 'ICC_PROFILE\0\x01\x01profile')

function headerOf(file: Uint8Array) {
  return readNow(readImageHeader({ size: file.length }, walkJpeg(file)?.segments ?? []), file)
}

const NO_CHANGE: HeaderChange = { exif: undefined, xmp: undefined, mpf: false }

function bytesOf(parts: FileParts | undefined, file: Uint8Array): Uint8Array {
  if (!parts) throw new Error('it was not changed')
  return concatBytes(
    parts.map((part) => (part instanceof Uint8Array ? part : file.subarray(part.start, part.end))),
  )
}

function changed(file: Uint8Array, change: Partial<HeaderChange>): Uint8Array {
  const end = walkJpeg(file)?.end ?? 0
  return bytesOf(changeHeader(headerOf(file), end, { ...NO_CHANGE, ...change }), file)
}

test('EXIF and XMP are what follows their marks', () => {
  const { metadata } = headerOf(skeleton({ before: [jfif, exif('MM'), icc, xmp('<ä/>')] }))
  equalBytes(metadata.exif ?? new Uint8Array(), asciiBytes('MM'))
  // The packet is written in Latin-1, so it is no UTF-8 and reads as a replacement character.
  assert.is(metadata.xmp, '<\uFFFD/>')
  assert.equal(headerOf(skeleton({ before: [jfif, icc, comment] })).metadata, {
    exif: undefined,
    xmp: undefined,
  })
})

test('of several segments the first one counts, of XMP that of the motion photo', () => {
  const before = [exif('1'), exif('2'), xmp('<no/>'), xmp(motion), xmp('<last/>')]
  const { metadata } = headerOf(skeleton({ before }))
  equalBytes(metadata.exif ?? new Uint8Array(), asciiBytes('1'))
  assert.is(metadata.xmp, motion)
  assert.is(headerOf(skeleton({ before: [xmp('<no/>'), xmp('<last/>')] })).metadata.xmp, '<no/>')
  const expected = skeleton({ before: [exif('x'), exif('2'), xmp('<no/>'), xmp('y'), xmp('<last/>')] })
  equalBytes(changed(skeleton({ before }), { exif: asciiBytes('x'), xmp: 'y' }), expected)
})

/** Longer than a segment, by a maker's note. */
const largeExif = encodeTiff([
  [
    { tag: 0x0112, short: 6 },
    { tag: 0x8769, ifd: [{ tag: 0x927c, bytes: new Uint8Array(70_000).fill(0x4e) }] },
  ],
])

const inSegments = (tiff: Uint8Array) => [
  segment(0xe1, 'Exif\0\0', tiff.subarray(0, MAX_EXIF_BYTES)),
  segment(0xe1, 'Exif\0\0', tiff.subarray(MAX_EXIF_BYTES)),
]

test('EXIF in several segments is one, and stays in several', () => {
  const tiff = largeExif
  const file = skeleton({ before: [jfif, ...inSegments(tiff), xmp('<a/>'), comment] })
  equalBytes(headerOf(file).metadata.exif ?? new Uint8Array(), tiff)
  equalBytes(changed(file, {}), file)
  equalBytes(changed(file, { exif: tiff }), file)
  const longer = concatBytes([tiff, new Uint8Array(1000)])
  const after = changed(file, { exif: longer })
  equalBytes(after, skeleton({ before: [jfif, ...inSegments(longer), xmp('<a/>'), comment] }))
  // A short one is in one, and nothing of the old one is left behind it.
  equalBytes(
    changed(file, { exif: asciiBytes('short') }),
    skeleton({ before: [jfif, exif('short'), xmp('<a/>'), comment] }),
  )
})

test('EXIF whose directories are not in its first segment has no room, nor has one that grows out of one segment', () => {
  const tiff = largeExif
  const patch = (bytes: Uint8Array) => patchExif(bytes, { isXiaomi: true, comment: undefined })
  const moved = patch(tiff) ?? new Uint8Array()
  assert.ok(moved.length > tiff.length)
  assert.ok(fitsExif(tiff, tiff))
  assert.not.ok(fitsExif(moved, tiff), 'they are written at the end')
  assert.not.ok(fitsExif(tiff, tiff.subarray(0, MAX_EXIF_BYTES)))
  const file = skeleton({ before: inSegments(tiff) })
  const end = walkJpeg(file)?.end ?? 0
  assert.is(changeHeader(headerOf(file), end, { ...NO_CHANGE, exif: moved }), undefined)
})

test('a structure of its own, and one behind another segment, do not go on', () => {
  const [head = hex(''), rest = hex('')] = inSegments(largeExif)
  for (const before of [
    [head, segment(0xe1, 'Exif\0\0', 'II*\0')],
    [head, xmp('<a/>'), rest],
    [exif('1'), rest],
  ]) {
    const [first] = before
    const { exif: found } = headerOf(skeleton({ before })).metadata
    equalBytes(found ?? hex(''), first?.subarray(10) ?? hex(''))
  }
})

test('marks in other markers, cut marks, and what follows the scan are not metadata', () => {
  const file = skeleton({
    before: [segment(0xe2, 'Exif\0\0II'), segment(0xe1, 'Exif\0'), segment(0xe3, 'MPF\0')],
    after: [exif('late'), xmp('<late/>')],
  })
  assert.equal(headerOf(file).metadata, { exif: undefined, xmp: undefined })
})

test('new EXIF follows JFIF, new XMP follows EXIF, and the index follows both', () => {
  const before = [jfif, icc, comment]
  assert.equal(changed(skeleton({ before }), {}), skeleton({ before }))
  const exifAndXmp = { exif: asciiBytes('tiff'), xmp: '<x>é</x>' }
  const newXmp = xmp('<x>\xc3\xa9</x>')
  for (const [what, old, expected] of [
    ['behind JFIF', before, [jfif, exif('tiff'), newXmp, icc, comment]],
    ['without JFIF', [icc], [exif('tiff'), newXmp, icc]],
    ['in the place of the old one', [icc, exif('old')], [icc, exif('tiff'), newXmp]],
  ] as const)
    equalBytes(changed(skeleton({ before: old }), exifAndXmp), skeleton({ before: expected }), what)
})

test('a new index has the new size of the image, and lies behind EXIF and XMP', () => {
  const before = (index: Uint8Array) => [jfif, xmp('a'), index, icc]
  // CIPA DC-007, 5.2: version, number of images, and one entry of 16 bytes: kind, size, offset, dependencies.
  const index = (size: number) => {
    const bytes = hex(`ffe2 0048 4d504600 4949 2a00 08000000 0300
      00b0 0700 04000000 30313030 01b0 0400 01000000 01000000 02b0 0700 10000000 32000000 00000000
      00000300 00000000 00000000 00000000`)
    viewOf(bytes).setUint32(62, size, true)
    return bytes
  }
  const file = skeleton({ before: [jfif, xmp('a'), icc] })
  equalBytes(changed(file, { mpf: true }), skeleton({ before: before(index(file.length + 74)) }))
  const there = skeleton({ before: before(index(file.length + 74)) })
  equalBytes(changed(there, { mpf: true }), there, 'only one')
})

/** An index of two images in either byte order: the second one lies `offset` bytes behind the index's own header. */
function twoImages(isLittle: boolean, primarySize: number, offset: number): Uint8Array {
  const head = isLittle
    ? '4949 2a00 08000000 0100 02b0 0700 20000000 1a000000'
    : '4d4d 002a 00000008 0001 b002 0007 00000020 0000001a'
  const bytes = concatBytes([hex(head), new Uint8Array(4 + 32)])
  const view = viewOf(bytes)
  view.setUint32(26 + 4, primarySize, isLittle)
  view.setUint32(26 + 16 + 4, 99, isLittle)
  view.setUint32(26 + 16 + 8, offset, isLittle)
  return segment(0xe2, 'MPF\0', bytes)
}

test('an index follows the image that grows before it, behind it, or both', () => {
  const big = '?'.repeat(50)
  const changes: readonly Partial<HeaderChange>[] = [
    { exif: asciiBytes(big) },
    { xmp: big },
    { exif: asciiBytes(big), xmp: big },
    { exif: asciiBytes(''), xmp: '' },
    {},
  ]
  const orders: readonly ((index: Uint8Array) => readonly Uint8Array[])[] = [
    (index) => [index, exif('tiff'), xmp('x')],
    (index) => [jfif, exif('tiff'), index, icc, xmp('x')],
    (index) => [exif('tiff'), xmp('x'), icc, index],
  ]
  for (const isLittle of [true, false]) {
    for (const order of orders) {
      // The second image follows the first at once, so that its place is known.
      const withIndex = (parts: (index: Uint8Array) => readonly Uint8Array[]) => {
        const draft = skeleton({ before: parts(twoImages(isLittle, 0, 0)) })
        const tiffAt = Buffer.from(draft).indexOf('MPF\0', 0, 'latin1') + 4
        return skeleton({ before: parts(twoImages(isLittle, draft.length, draft.length - tiffAt)) })
      }
      for (const change of changes) {
        const replaced = (index: Uint8Array) => order(index).map((one) => replacement(one, change))
        equalBytes(changed(withIndex(order), { ...change, mpf: true }), withIndex(replaced))
      }
    }
  }
})

function replacement(old: Uint8Array, change: Partial<HeaderChange>): Uint8Array {
  const text = Buffer.from(old).toString('latin1')
  if (change.exif && text.includes('Exif')) return segment(0xe1, 'Exif\0\0', change.exif)
  return change.xmp !== undefined && text.includes('adobe') ? xmp(change.xmp) : old
}

test('an index that cannot be read stays as it is', () => {
  const broken = segment(0xe2, 'MPF\0', '????????')
  const expected = skeleton({ before: [exif('x'), broken] })
  equalBytes(changed(skeleton({ before: [broken] }), { exif: asciiBytes('x'), mpf: true }), expected)
})

test('a segment holds 65,533 bytes, and no more', () => {
  const file = skeleton({ before: [jfif] })
  const end = file.length
  const fits = (change: Partial<HeaderChange>) =>
    changeHeader(headerOf(file), end, { ...NO_CHANGE, ...change }) !== undefined
  const exifFits = (size: number) => fits({ exif: new Uint8Array(size) })
  assert.equal([65_527, 65_528].map(exifFits), [true, false])
  const xmpFits = (size: number) => fits({ xmp: 'x'.repeat(size) })
  assert.equal([65_504, 65_505].map(xmpFits), [true, false])
  assert.is(fits({ xmp: 'é'.repeat(32_753) }), false, 'bytes count, not characters')
  const largest = changed(file, { exif: new Uint8Array(65_527) })
  assert.equal(largest.subarray(file.indexOf(0xff, 2) + jfif.length).slice(0, 4), hex('ffe1 ffff'))
  assert.is(walkJpeg(largest)?.end, largest.length)
})

test('fill bytes before a segment stay with those that stay', () => {
  const file = skeleton({
    before: [concatBytes([hex('ffff'), icc]), concatBytes([hex('ff'), exif('old')]), icc],
  })
  assert.equal(headerOf(file).metadata.exif, asciiBytes('old'))
  equalBytes(changed(file, {}), file)
  const expected = skeleton({ before: [concatBytes([hex('ffff'), icc]), exif('new'), icc] })
  equalBytes(changed(file, { exif: asciiBytes('new') }), expected)
})

test('every other byte stays, whatever stands in the header', () => {
  const other = fc.oneof(
    fc.constantFrom(jfif, comment, icc),
    fc.uint8Array({ maxLength: 9 }).map((bytes) => segment(0xec, bytes)),
  )
  const text = fc.string({ maxLength: 20, unit: fc.constantFrom('a', '<', 'é') })
  const change = fc.record({
    exif: fc.option(fc.uint8Array({ maxLength: 20 }), { nil: undefined }),
    xmp: fc.option(text, { nil: undefined }),
    mpf: fc.boolean(),
  })
  assertProperty(
    fc.property(
      fc.array(fc.oneof(other, fc.constantFrom(exif('II'), xmp('<x/>'))), { maxLength: 6 }),
      fc.uint8Array({ maxLength: 9 }),
      change,
      (before, tail, wanted) => {
        const file = concatBytes([skeleton({ before }), tail])
        const after = changed(file, wanted)
        const again = headerOf(after)
        if (wanted.exif) assert.equal(again.metadata.exif, wanted.exif)
        if (wanted.xmp !== undefined) assert.is(again.metadata.xmp, wanted.xmp)
        const kept = (bytes: Uint8Array) =>
          (walkJpeg(bytes)?.segments ?? [])
            .map(({ start, end }) => Buffer.from(bytes.subarray(start, end)).toString('latin1'))
            .filter((one) => !/^\xff\xe1..(?:Exif|http)|^\xff\xe2..MPF/s.test(one))
        assert.equal(kept(after), kept(file))
        assert.is(walkJpeg(after)?.end, after.length)
      },
    ),
    { numRuns: 300 },
  )
})

test('of thousands of packets no more are searched for the one of the motion photo than when it is read', () => {
  const plain = Array<Uint8Array>(8).fill(xmp('<a/>'))
  const found = (...segments: readonly Uint8Array[]) => headerOf(skeleton({ before: segments })).metadata.xmp
  assert.is(found(...plain.slice(1), xmp(motion)), motion)
  assert.is(found(...plain, xmp(motion)), '<a/>')
})

test('a new index has the byte order of EXIF, which segments of makers behind it are read in', () => {
  for (const order of ['MM\0*', 'II*\0']) {
    const tiff = `${order}\0\0\0\0`
    for (const file of [skeleton({ before: [exif(tiff)] }), skeleton({ before: [jfif] })]) {
      const after = changed(file, { exif: asciiBytes(tiff), mpf: 0 })
      const at = latin1(after).indexOf('MPF\0') + 4
      assert.is(latin1(after, at, at + 2), order.slice(0, 2))
    }
  }
})

test.run()
