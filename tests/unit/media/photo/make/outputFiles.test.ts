import { outputFiles } from '#internal/media/photo/make/outputFiles'
import { assert, suite } from '#support/runner/suite'
import { isRefusal } from '#support/values/failures'
import { sampleParts } from '../../../formats/motionPhoto/sampleParts'

const test = suite('files of a profile')

test('a HEIC that cannot stay one is refused with the field that asked for it', () => {
  const broken = {
    ...sampleParts,
    cover: new TextEncoder().encode('\0\0\0\x14ftypheic'),
    isHeic: true,
    name: 'IMG',
  }
  assert.throws(
    () => outputFiles('google', broken),
    isRefusal('unprocessable', /^The photo cannot be kept as a HEIC: .* Leave format out for a JPEG\.$/),
  )
})

test('a part that is not as described is a fault of the service', () => {
  const wrong = { ...sampleParts, cover: new Uint8Array(10), name: 'IMG' }
  for (const profile of ['universal', 'apple'] as const)
    assert.throws(() => outputFiles(profile, wrong), isRefusal('internal', /could not be written/))
})

test.run()
