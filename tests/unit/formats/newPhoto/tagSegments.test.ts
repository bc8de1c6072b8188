import { asciiBytes, concatBytes, latin1 } from '@lantern-room/base/bytes'
import { encodeSegment, walkJpeg } from '#internal/formats/jpeg/jpeg'
import { carryMapSegments, tagSegments } from '#internal/formats/newPhoto/tagSegments'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { sampleTiff } from '../motionPhoto/sampleHeic'
import { baselineJpeg, withSegments } from '../motionPhoto/sampleJpeg'

const test = suite('tagSegments')

test('EXIF and XMP become a segment each, with the bytes that they have', () => {
  const { segments, lost } = tagSegments({ exif: sampleTiff, xmp: '<x:xmpmeta/>' })
  const exif = encodeSegment(0xe1, concatBytes([asciiBytes('Exif\0\0'), sampleTiff]))
  const xmp = encodeSegment(0xe1, asciiBytes('http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>'))
  equalBytes(concatBytes([...segments]), concatBytes([exif, xmp]))
  assert.equal(lost, [])
})

test('what has no room in a segment is named, and the rest is kept', () => {
  const { segments, lost } = tagSegments({ exif: sampleTiff, xmp: 'x'.repeat(70_000) })
  assert.equal([segments.length, lost], [1, ['xmp']])
  assert.equal(tagSegments({ exif: new Uint8Array(70_000), xmp: undefined }).lost, ['exif'])
  assert.equal(tagSegments({ exif: undefined, xmp: undefined }), { segments: [], lost: [] })
})

test('a new gain map says what the old one says, without its index of pictures', () => {
  const said = [
    encodeSegment(0xe1, asciiBytes('http://ns.adobe.com/xap/1.0/\0<hdrgm/>')),
    encodeSegment(0xe2, asciiBytes('MPF\0index')),
    encodeSegment(0xe2, asciiBytes('urn:iso:std:iso:ts:21496:-1\0')),
    encodeSegment(0xe5, asciiBytes('other')),
  ]
  const made = carryMapSegments(withSegments(baselineJpeg, ...said), baselineJpeg)
  const found = (walkJpeg(made)?.segments ?? [])
    .filter(({ marker }) => marker >= 0xe1 && marker <= 0xef)
    .map(({ start, end }) => latin1(made.subarray(start, end)))
  assert.equal(
    found,
    [said[0], said[2]].map((segment) => latin1(segment ?? new Uint8Array())),
  )
})

test.run()
