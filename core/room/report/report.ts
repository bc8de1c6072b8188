import { type Build, CONTRACT_VERSION } from '#core/build'
import type { RoomConfig } from '../config'
import type { DoctorRecord } from '../doctor/diagnosis'
import { createRedaction } from './redaction'
import type { ReportRecord } from './reportRecord'

/** The contents of a report before redaction. */
export type ReportSources = Build & {
  readonly platform: string
  /** undefined when no service runs. */
  readonly networkVersion: string | undefined
  readonly config: RoomConfig
  /** The response of GET /room/status; undefined when no service runs. */
  readonly status: Readonly<Record<string, unknown>> | undefined
  readonly doctor: DoctorRecord
  /** Lines of the log, the oldest first. */
  readonly logText: string
  /** The user's own folder. */
  readonly home: string | undefined
  /** In milliseconds. */
  readonly unixTime: number
}

/** Puts a report together, without what must not leave this machine. */
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
