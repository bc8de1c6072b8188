import { concatBytes } from '@lantern-room/base/bytes'
import sharp from 'sharp'
import { readPlainJpeg } from '#internal/formats/exif/plainJpeg'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('a JPEG that becomes a cover')

const picture = () => sharp({ create: { width: 40, height: 30, channels: 3, background: '#08f' } })

test('its size, orientation and profile are read, and what follows it is left out', async () => {
  const jpeg = await picture().withMetadata({ orientation: 8 }).withIccProfile('p3').jpeg().toBuffer()
  const plain = readPlainJpeg(concatBytes([jpeg, new Uint8Array(100)]))
  assert.equal([plain?.size, plain?.orientation], [{ width: 40, height: 30 }, 8])
  const facts = [plain?.bytes.length, plain?.profile.length, plain?.isCommon]
  assert.equal(facts, [jpeg.length, 1, true])
  const stripped = await sharp(concatBytes(plain?.stripped ?? [])).metadata()
  assert.equal([stripped.orientation, stripped.icc, stripped.exif], [undefined, undefined, undefined])
})

test('four components are not what galleries show', async () => {
  const cmyk = await picture().toColourspace('cmyk').jpeg().toBuffer()
  assert.is(readPlainJpeg(cmyk)?.isCommon, false)
})

test('a cut one is none', async () => {
  const jpeg = await picture().jpeg().toBuffer()
  assert.is(readPlainJpeg(jpeg.subarray(0, jpeg.length - 2)), undefined)
  assert.is(readPlainJpeg(new Uint8Array()), undefined)
  assert.is(readPlainJpeg(jpeg)?.orientation, 1)
})

test.run()
