import { METADATA_CHOICES, type OriginWish } from '#core/media/capture/chooseOrigin'
import { parseMoment } from '#core/media/capture/moment'
import { timeZoneOf } from '#core/media/capture/timeZone'
import type { OptionTable } from '../../commandLine/optionTable'
import { optionValue, UsageError } from '../../commandLine/readArguments'

/** Options for the recording details in the photo. */
export const ORIGIN_OPTIONS = {
  metadata: { value: 'WHAT', help: ['none, date, or all: place, phone, too'], default: 'date' },
  'captured-at': {
    value: 'DATE',
    help: ['2026-03-04, or 2026-03-04T05:06:07'],
    default: 'when VIDEO was recorded',
  },
  'time-zone': { value: 'ZONE', help: ['+02:00 or Europe/Berlin'], default: "VIDEO's, else this machine's" },
} as const satisfies OptionTable

/** @throws UsageError */
export function readOrigin(given: {
  get(name: keyof typeof ORIGIN_OPTIONS): string | undefined
}): OriginWish {
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
