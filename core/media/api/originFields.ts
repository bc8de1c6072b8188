import { z } from '@hono/zod-openapi'
import { ServiceError } from '#core/errors'
import { METADATA_CHOICES, type MetadataChoice, type OriginWish } from '../capture/chooseOrigin'
import { type Moment, parseMoment } from '../capture/moment'
import { timeZoneOf } from '../capture/timeZone'
import type { Donor } from '../photos/readDonor'

const badMoment = 'must be a date and a time in ISO 8601, with or without an offset from UTC'
const badZone = 'must be an offset from UTC, or the name of a time zone in the IANA database'

/** What a photo says of the recording. */
export const originFields = {
  metadata: z
    .enum(METADATA_CHOICES, { error: `must be one of ${METADATA_CHOICES.join(', ')}` })
    .default('date')
    .openapi({
      description:
        'What the photo says of the recording: nothing, its date, or also place, maker and model. The date is in EXIF, in the clip and in the file name.',
    }),
  captured_at: z
    .string({ error: badMoment })
    .transform((text, context): Moment => {
      const moment = parseMoment(text)
      if (!moment) context.addIssue(badMoment)
      return moment ?? { unixMs: 0, offsetMinutes: undefined }
    })
    .optional()
    .openapi({
      type: 'string',
      description:
        'ISO 8601, instead of the time that the video says; without an offset, that of `time_zone`.',
      example: '2026-03-04T05:06:07+02:00',
    }),
  time_zone: z
    .string({ error: badZone })
    .refine((name) => timeZoneOf(name) !== undefined, badZone)
    .optional()
    .openapi({
      description:
        'The zone whose clocks the photo shows: an offset, or a name of the IANA database. Default: what the video says, else UTC.',
      example: 'Europe/Berlin',
    }),
}

/** @throws ServiceError `unprocessable` when a date is given that must not be written */
export function originOf(
  form: {
    readonly metadata: MetadataChoice
    readonly captured_at?: Moment | undefined
    readonly time_zone?: string | undefined
  },
  donor?: Donor,
): OriginWish {
  if (form.metadata === 'none' && form.captured_at) {
    throw new ServiceError(
      'unprocessable',
      'captured_at is not written with metadata=none: leave one of them out.',
    )
  }
  const phone = donor && { maker: donor.maker, model: donor.model, marks: donor.marks }
  return { metadata: form.metadata, capturedAt: form.captured_at, timeZone: form.time_zone, phone }
}
