import type { Environment } from '#core/environment'
import type { Log } from '#core/log'

/** How and where the command was started. */
export type Program = {
  readonly version: string
  readonly env: Environment
  /** Relative paths start from here. */
  readonly folder: string
  readonly hasColour: boolean
  /** Started by npm, which puts a shell between itself and this process. */
  readonly isByNpm: boolean
  /** For what the process itself reports, in JSON lines on standard error. */
  readonly log: Log
  /** Errors are shown with their causes. */
  readonly isDebugging: boolean
  /** @returns whether a program took the address */
  openInBrowser(url: string): Promise<boolean>
}
