import type { Environment } from '#core/environment'

/** What the command line knows of where it was started. */
export type Program = {
  readonly version: string
  readonly env: Environment
  /** Relative paths begin here. */
  readonly folder: string
  readonly hasColour: boolean
  /** npm has put a shell between us and whoever stops it. */
  readonly isByNpm: boolean
  /** The causes of errors are shown too. */
  readonly isDebugging: boolean
}
