import { z } from '@hono/zod-openapi'
import { doctorRecord } from '../doctor/diagnosis'

/** One bundle for those who help: everything in it is redacted. */
export const reportRecord = z
  .object({
    format: z.literal(1),
    createdAt: z.string().openapi({ format: 'date-time' }),
    program: z.object({
      version: z.string(),
      builtAt: z.string(),
      networkVersion: z.string().nullable(),
      contractVersion: z.string(),
      platform: z.string().openapi({ example: 'x86_64-unknown-linux-gnu' }),
    }),
    settings: z
      .record(z.string(), z.unknown())
      .openapi({ description: 'As they are in effect; of the token only whether there is one.' }),
    status: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({ description: 'GET /room/status without its players; null when no service runs.' }),
    doctor: doctorRecord,
    log: z.array(z.string()).openapi({ description: 'Lines, the oldest first.' }),
  })
  .openapi('Report')

export type ReportRecord = z.infer<typeof reportRecord>
