import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { encodeBox } from '@lantern-room/mp4/boxes'
import { readNow } from '@lantern-room/mp4/source'
import { readHeic } from '#internal/formats/heic/heic'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'
import { heicOf, sampleTiff } from '../motionPhoto/sampleHeic'

const test = suite('HEIC reader')

const read = (file: Uint8Array) => readNow(readHeic({ size: file.length }), file)
const movie = encodeBox('ftyp', asciiBytes('mp42'))

for (const method of ['file', 'idat'] as const) {
  test(`XMP, EXIF, size and motion photo box are read (items in ${method})`, () => {
    const file = heicOf({ xmp: '<x/>', movie, itemsIn: method })
    const heic = read(file)
    assert.is(heic?.xmp, '<x/>')
    equalBytes(heic?.exif ?? new Uint8Array(), sampleTiff)
    assert.equal(heic?.frame, { width: 4000, height: 3000 })
    equalBytes(file.subarray(heic?.motionPhotoBox?.start, heic?.motionPhotoBox?.end), movie)
    assert.is(heic?.motionPhotoBox?.boxStart, (heic?.motionPhotoBox?.start ?? 0) - 8)
  })
}

test('what is no HEIC is not read', () => {
  for (const file of [movie, hex('ffd8ffe0'), new Uint8Array(), asciiBytes('....ftyphei')]) {
    assert.is(read(file), undefined)
  }
})

test('every truncation is read as far as it goes', () => {
  const file = heicOf({ xmp: '<x/>', movie, itemsIn: 'file' })
  for (let length = 12; length < file.length; length++) {
    const { end = length } = read(file.subarray(0, length))?.motionPhotoBox ?? {}
    assert.is(end, length, 'the box of a video that is cut ends with the file')
  }
  assert.is(read(concatBytes([file, hex('00')]))?.xmp, '<x/>')
})

test.run()
