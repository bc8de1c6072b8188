import {
  exifDateTime,
  exifOffset,
  isoTime,
  photoBaseName,
  unixTimeOf,
  wallClock,
} from '#internal/formats/exif/wallClock'
import { assert, suite } from '../../../support/runner/suite'

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

test('a time is text with its offset, and a moment again', () => {
  const nepal = wallClock(newYear, 345)
  assert.is(isoTime(nepal), '2026-01-01T06:15:05+05:45')
  assert.is(isoTime({ ...nepal, offsetMinutes: undefined }), '2026-01-01T06:15:05')
  assert.is(unixTimeOf(nepal), newYear.getTime())
  assert.is(unixTimeOf({ ...nepal, offsetMinutes: undefined }), Date.UTC(2026, 0, 1, 6, 15, 5))
})

test('has the local time', () => {
  const time = { year: 2024, month: 5, day: 6, hour: 7, minute: 8, second: 9, offsetMinutes: 120 }
  assert.is(photoBaseName(time), 'IMG_20240506_070809')
})

test.run()
