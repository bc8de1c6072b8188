import { readNow } from '#core/formats/source/reading'
import { extractFile } from '#core/media/photos/extractFile'
import { assert, suite } from '#support/runner/suite'
import { isRefusal } from '#support/values/failures'
import { livePhotoZip, movie, still } from '../../formats/livePhoto/sampleLivePhoto'
import { baselineJpeg } from '../../formats/motionPhoto/sampleJpeg'

const test = suite('what is taken out of a photo')

for (const [what, bytes, type] of [
  ['still', still, 'image/jpeg'],
  ['clip', movie, 'video/quicktime'],
] as const) {
  test(`of a Live Photo in a ZIP the ${what} is its file, as it is`, () => {
    const { parts, mediaType } = readNow(extractFile({ size: livePhotoZip.length }, what), livePhotoZip)
    const [part] = parts
    if (!part || part instanceof Uint8Array) throw new Error('it is no part of the ZIP')
    assert.equal(livePhotoZip.slice(part.start, part.end), bytes)
    assert.is(mediaType, type)
  })
}

test('of a still there is nothing', () => {
  const extract = () => readNow(extractFile({ size: baselineJpeg.length }, 'clip'), baselineJpeg)
  assert.throws(extract, isRefusal('unprocessable'))
})

test.run()
