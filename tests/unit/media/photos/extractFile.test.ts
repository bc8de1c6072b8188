import * as assert from 'uvu/assert'
import { concatBytes } from '#core/bytes'
import { ServiceError } from '#core/errors'
import { assembleLivePhoto } from '#core/media/livePhoto/livePhoto'
import { normalizeClip } from '#core/media/mp4/normalizeClip'
import { extractFile } from '#core/media/photos/extractFile'
import { readNow } from '#core/media/reading'
import { zipPieces } from '#core/zip'
import { suite } from '#support/runner/suite'
import { baselineJpeg, progressiveJpeg } from '../motionPhoto/sampleJpeg'
import { buildMp4, fastStart } from '../mp4/sampleMp4'

const test = suite('what is taken out of a photo')

const takenAt = { year: 2026, month: 3, day: 4, hour: 5, minute: 6, second: 7, offsetMinutes: 60 }
const { still, movie } = assembleLivePhoto({
  cover: progressiveJpeg,
  thumbnail: baselineJpeg,
  clip: normalizeClip(buildMp4(fastStart)),
  presentationTimestampUs: 100_000,
  takenAt,
  software: 'Lantern Room 1.2.3',
  identifier: '0BDF4D72-CF5E-4FFA-88F4-70E22B338693',
})
const zip = concatBytes(
  zipPieces(
    [
      { name: 'IMG_1.JPG', bytes: still },
      { name: 'IMG_1.MOV', bytes: movie },
    ],
    takenAt,
  ),
)

for (const [what, bytes, type] of [
  ['still', still, 'image/jpeg'],
  ['clip', movie, 'video/quicktime'],
] as const) {
  test(`of a Live Photo in a ZIP the ${what} is its file, as it is`, () => {
    const { parts, mediaType } = readNow(extractFile({ size: zip.length }, what), zip)
    const [part] = parts
    if (!part || part instanceof Uint8Array) throw new Error('it is no part of the ZIP')
    assert.equal(zip.slice(part.start, part.end), bytes)
    assert.is(mediaType, type)
  })
}

test('of a still there is nothing', () => {
  try {
    readNow(extractFile({ size: baselineJpeg.length }, 'clip'), baselineJpeg)
    assert.unreachable()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    assert.is(error.code, 'unprocessable')
  }
})

test.run()
