import { METADATA_CHOICES, type OriginWish } from '#core/media/capture/chooseOrigin'
import { parseMoment } from '#core/media/capture/moment'
import { timeZoneOf } from '#core/media/capture/timeZone'
import { optionValue, UsageError } from '../../commandLine/readArguments'
import type { Given } from './motionPhotoOptions'

/** @throws UsageError */
export function readOrigin(given: Pick<Given, 'get'>): OriginWish {
  const choices = METADATA_CHOICES.join(', ')
  const choiceOf = (text: string) => METADATA_CHOICES.find((known) => known === text)
  const metadata = optionValue(given, 'metadata', choiceOf, `one of ${choices}`) ?? 'date'
  const capturedAt = optionValue(
    given,
    'captured-at',
    parseMoment,
    'a date such as 2026-03-04 or 2026-03-04T05:06:07+02:00',
  )
  if (capturedAt && metadata === 'none') {
    throw new UsageError('--captured-at is not written with --metadata none: leave one of them out.')
  }
  const zoneOf = (name: string) => (timeZoneOf(name) ? name : undefined)
  const zones = 'an offset such as +02:00 or a name such as Europe/Berlin'
  return { metadata, capturedAt, timeZone: optionValue(given, 'time-zone', zoneOf, zones) }
}
