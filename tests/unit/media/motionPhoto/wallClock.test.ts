import * as assert from 'uvu/assert'
import { exifDateTime, exifOffset, wallClock } from '#core/media/motionPhoto/wallClock'
import { suite } from '#support/runner/suite'

const test = suite('wall clock')

const newYear = new Date('2026-01-01T00:30:05Z')

test('the same moment shows differently east and west', () => {
  assert.is(exifDateTime(wallClock(newYear, 0)), '2026:01:01 00:30:05')
  assert.is(exifDateTime(wallClock(newYear, 330)), '2026:01:01 06:00:05')
  assert.is(exifDateTime(wallClock(newYear, -60)), '2025:12:31 23:30:05')
})

test('offsets have a sign, hours and minutes', () => {
  assert.is(exifOffset(wallClock(newYear, 0)), '+00:00')
  assert.is(exifOffset(wallClock(newYear, 345)), '+05:45')
  assert.is(exifOffset(wallClock(newYear, -210)), '-03:30')
  assert.is(exifOffset({ ...wallClock(newYear, 0), offsetMinutes: undefined }), undefined)
})

test.run()
