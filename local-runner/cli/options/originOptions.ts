import { METADATA_CHOICES, type MetadataChoice, type OriginWish } from '#core/media/capture/chooseOrigin'
import { type Moment, parseMoment } from '#core/media/capture/moment'
import { timeZoneOf } from '#core/media/capture/timeZone'
import type { OptionTable } from '../../commandLine/optionTable'
import { printable, UsageError } from '../../commandLine/readArguments'

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
export function readOrigin(given: (name: keyof typeof ORIGIN_OPTIONS) => string | undefined): OriginWish {
  const metadata = choiceOf(given('metadata') ?? 'date')
  const capturedAt = momentOf(given('captured-at'))
  if (capturedAt && metadata === 'none') {
    throw new UsageError('--captured-at is not written with --metadata none: leave one of them out.')
  }
  return { metadata, capturedAt, timeZone: zoneOf(given('time-zone')) }
}

function choiceOf(text: string): MetadataChoice {
  const choice = METADATA_CHOICES.find((known) => known === text)
  if (choice) return choice
  throw new UsageError(`--metadata must be one of ${METADATA_CHOICES.join(', ')}, not "${printable(text)}".`)
}

function momentOf(text: string | undefined): Moment | undefined {
  const moment = text === undefined ? undefined : parseMoment(text)
  if (moment || text === undefined) return moment
  throw new UsageError(
    `--captured-at must be a date such as 2026-03-04 or 2026-03-04T05:06:07+02:00, not "${printable(text)}".`,
  )
}

function zoneOf(name: string | undefined): string | undefined {
  if (name === undefined || timeZoneOf(name)) return name
  throw new UsageError(
    `--time-zone must be an offset such as +02:00 or a name such as Europe/Berlin, not "${printable(name)}".`,
  )
}
