import type { Environment } from '#core/environment'
import type { Log } from '#core/log'

/** What the command line knows of where it was started. */
export type Program = {
  readonly version: string
  readonly env: Environment
  /** Relative paths begin here. */
  readonly folder: string
  readonly hasColour: boolean
  /** npm has put a shell between us and whoever stops it. */
  readonly isByNpm: boolean
  /** For what the process itself reports, in JSON lines on standard error. */
  readonly log: Log
  /** The causes of errors are shown too. */
  readonly isDebugging: boolean
}
