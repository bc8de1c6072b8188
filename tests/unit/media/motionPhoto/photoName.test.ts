import * as assert from 'uvu/assert'
import { photoBaseName } from '#core/media/motionPhoto/photoName'
import { suite } from '#support/runner/suite'

const test = suite("a photo's name")

test('has the local time', () => {
  const time = { year: 2024, month: 5, day: 6, hour: 7, minute: 8, second: 9, offsetMinutes: 120 }
  assert.is(photoBaseName(time), 'IMG_20240506_070809')
})

test.run()
