import { concatBytes } from '@lantern-room/base/bytes'
import fc from 'fast-check'
import { encodeSegment, entropyEnd, type JpegStep, nextStep, walkJpeg } from '#internal/formats/jpeg/jpeg'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'
import { equalBytes } from '../../../support/values/equalBytes'
import { baselineJpeg, comment, progressiveJpeg, skeleton, withSegments } from '../motionPhoto/sampleJpeg'

const test = suite('JPEG segments')

const exifWithThumbnail = encodeSegment(0xe1, concatBytes([hex('457869660000'), baselineJpeg]))

test('a baseline image ends at its EOI', () => {
  const jpeg = walkJpeg(baselineJpeg)
  assert.is(jpeg?.end, baselineJpeg.length)
  assert.equal(jpeg?.frame, { width: 16, height: 8, components: [1, 2, 3] })
})

test('a progressive image is walked through all its scans', () => {
  const jpeg = walkJpeg(progressiveJpeg)
  assert.is(jpeg?.end, progressiveJpeg.length)
  assert.is(jpeg?.segments.filter((segment) => segment.marker === 0xda).length, 10)
})

test('its header is read without a long scan', () => {
  const bytes = skeleton({ before: [comment], scan: new Uint8Array(300_000).fill(1), after: [] })
  const { segments = [], frame } = walkJpeg(bytes) ?? {}
  const header = walkJpeg(bytes, true)
  assert.equal([header?.segments.slice(0, -1), header?.frame], [segments.slice(0, -1), frame])
  assert.ok((header?.segments.at(-1)?.end ?? 0) < 200_000)
})

test('what follows the image is not part of it', () => {
  const tail = hex('ffd9 ffd8 ffe1 0004 ffd9')
  assert.is(walkJpeg(concatBytes([baselineJpeg, tail]))?.end, baselineJpeg.length)
})

test('the end of an EXIF thumbnail is not the end of the image', () => {
  const bytes = withSegments(baselineJpeg, exifWithThumbnail)
  assert.is(walkJpeg(bytes)?.end, bytes.length)
})

test('fill bytes before a marker are passed over', () => {
  const bytes = skeleton({ before: [hex('ffffff'), comment], scan: hex('01 ff00 ff ff'), after: [hex('ff')] })
  const jpeg = walkJpeg(bytes)
  assert.is(jpeg?.end, bytes.length)
  const markers = jpeg?.segments.map((segment) => segment.marker)
  assert.equal(markers, [0xfe, 0xc0, 0xda])
})

test('no truncation has an end, at any byte', () => {
  for (const whole of [baselineJpeg, progressiveJpeg, withSegments(baselineJpeg, exifWithThumbnail)]) {
    for (let length = 0; length < whole.length; length++) {
      assert.is(walkJpeg(whole.subarray(0, length))?.end, undefined, `${length} of ${whole.length} bytes`)
    }
  }
})

const broken: Record<string, Uint8Array> = {
  'no SOI': hex('ffd9'),
  'SOI and EOI alone': hex('ffd8 ffd9'),
  'no scan': concatBytes([skeleton({}).subarray(0, 21), hex('ffd9')]),
  'no frame': hex('ffd8 ffda 0002 01 ffd9'),
  'a frame header without room for its components': hex(
    'ffd8 ffc0 000b 08 0008 0008 03 010203 ffda 0002 01 ffd9',
  ),
}
for (const [name, bytes] of Object.entries(broken)) {
  test(`no image: ${name}`, () => assert.is(walkJpeg(bytes)?.end, undefined))
}

const BROKEN: JpegStep = { kind: 'broken' }
const segmentStep = (marker: number, start: number, headerEnd: number, end = headerEnd): JpegStep => ({
  kind: 'segment',
  segment: { marker, start, end },
  headerEnd,
  next: end,
})
const steps: Record<string, [bytes: string, step: JpegStep]> = {
  'the end of the image': ['ffd9 00', { kind: 'image end', next: 2 }],
  'the end of the image after fill bytes': ['ffffff d9', { kind: 'image end', next: 4 }],
  'a temporary marker': ['ff01 ffd9', { kind: 'lone marker', next: 2 }],
  'a restart': ['ffd0 ffd9', { kind: 'lone marker', next: 2 }],
  'the last restart': ['ffd7', { kind: 'lone marker', next: 2 }],
  'a comment': ['fffe 0004 6869 ffd9', segmentStep(0xfe, 0, 6)],
  'a segment without a payload': ['fffe 0002', segmentStep(0xfe, 0, 4)],
  'a segment after fill bytes': ['ffff fffe 0003 61', segmentStep(0xfe, 2, 7)],
  'a scan up to the next marker': ['ffda 0003 00 11ff0022ffd033 ffd9', segmentStep(0xda, 0, 5, 12)],
  'a scan up to the end of the bytes': ['ffda 0002 1122', segmentStep(0xda, 0, 4, 6)],
  'no bytes': ['', BROKEN],
  'no marker': ['00ff', BROKEN],
  'a cut marker': ['ff', BROKEN],
  'fill bytes and no marker': ['ffffff', BROKEN],
  'a stuffed byte': ['ff00', BROKEN],
  'a second image': ['ffd8', BROKEN],
  'a cut length': ['fffe 00', BROKEN],
  'a length that does not count itself': ['fffe 0001 ffd9', BROKEN],
  'a cut segment': ['fffe 0004 61', BROKEN],
}
for (const [name, [bytes, step]] of Object.entries(steps)) {
  test(`a step at ${name}`, () => assert.equal(nextStep(hex(bytes), 0), step))
}

test('a step may begin anywhere', () => {
  assert.equal(nextStep(hex('0000 fffe 0003 61'), 2), segmentStep(0xfe, 2, 7))
  assert.equal(nextStep(hex('ffd9'), 2), BROKEN)
})

const ends: Record<string, [bytes: string, end: number]> = {
  'restarts and stuffed bytes': ['11 ff00 22 ffd0 33 ffd7 44 ff00 ff00 ffd9', 14],
  'fill bytes before the marker': ['11 ff ff ffc4', 3],
  'a marker that is cut': ['11 ff', 2],
  'a marker right after a restart': ['ffd0 ffda', 2],
}
for (const [name, [bytes, end]] of Object.entries(ends)) {
  test(`the end of ${name}`, () => assert.is(entropyEnd(hex(bytes), 0), end))
}

test('what precedes the data of a scan is not searched', () => {
  assert.is(entropyEnd(hex('ffc4 11 22 ffd9'), 2), 4)
})

test('no bytes make the walker throw', () => {
  const anything = fc.uint8Array({ maxLength: 200 })
  assertProperty(
    fc.property(anything, fc.constantFrom(baselineJpeg, progressiveJpeg), fc.nat(), (noise, jpeg, at) => {
      const bytes = jpeg.slice()
      bytes.set(noise.subarray(0, 8), at % (bytes.length - 8))
      for (const input of [noise, concatBytes([hex('ffd8'), noise]), bytes]) {
        const end = walkJpeg(input)?.end
        assert.ok(end === undefined || end <= input.length)
      }
    }),
    { numRuns: 1000 },
  )
})

test('a segment counts its own length', () => {
  equalBytes(encodeSegment(0xfe, hex('74657374')), comment)
  assert.is(encodeSegment(0xe1, new Uint8Array(65_533)).length, 65_537)
  assert.throws(() => encodeSegment(0xe1, new Uint8Array(65_534)), /cannot hold/)
})

test.run()
