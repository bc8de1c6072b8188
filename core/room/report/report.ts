import { z } from '@hono/zod-openapi'
import { type Build, CONTRACT_VERSION } from '@lantern-room/base'
import type { RoomConfig } from '../config'
import { doctorRecord } from '../doctor/diagnosis'
import { createRedaction } from './redaction'

/** One bundle for those who help: everything in it is redacted. */
export const reportRecord = z
  .object({
    format: z.int().openapi({ description: 'Of the report: 1.', example: 1 }),
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

/** The contents of a report before redaction. */
export type ReportSources = Build & {
  readonly platform: string
  /** undefined when no service runs. */
  readonly networkVersion: string | undefined
  readonly config: RoomConfig
  /** The response of GET /room/status; undefined when no service runs. */
  readonly status: Readonly<Record<string, unknown>> | undefined
  readonly doctor: z.infer<typeof doctorRecord>
  /** Lines of the log, the oldest first. */
  readonly logText: string
  /** The user's own folder. */
  readonly home: string | undefined
  /** In milliseconds. */
  readonly unixTime: number
}

/**
 * Puts a report together, without what must not leave this machine.
 * @example JSON.stringify(makeReport(sources))
 */
export function makeReport(sources: ReportSources): ReportRecord {
  const { config, status } = sources
  const redact = createRedaction({
    secrets: config.token === undefined ? [] : [config.token],
    home: sources.home,
  })
  const log = sources.logText.split('\n').filter((line) => line !== '')
  return redact<ReportRecord>({
    format: 1,
    createdAt: new Date(sources.unixTime).toISOString(),
    program: {
      version: sources.version,
      builtAt: sources.builtAt,
      networkVersion: sources.networkVersion ?? null,
      contractVersion: CONTRACT_VERSION,
      platform: sources.platform,
    },
    settings: settingsOf(config),
    status: status ? withoutPlayers(status) : null,
    doctor: sources.doctor,
    log,
  })
}

/** The names of the players whom the host lets in are other people's data. */
function settingsOf({ token, admission, ...rest }: RoomConfig): Record<string, unknown> {
  return {
    ...rest,
    hasToken: token !== undefined,
    admission: { needsApproval: admission.needsApproval, allowed: admission.allowed.length },
  }
}

function withoutPlayers(status: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { players: _players, guests: _guests, ...rest } = status
  return rest
}
