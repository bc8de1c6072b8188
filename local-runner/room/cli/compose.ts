import { createConsoleLog } from '#core/adapters/system/consoleLog'
import { openInBrowser } from '#core/adapters/system/openInBrowser'
import { version } from '#core/build'
import type { Environment } from '#core/environment'
import type { Log } from '#core/log'

export function composeProgram(env: Environment = process.env): Program {
  const isByNpm = env.npm_lifecycle_event !== undefined
  return {
    version,
    env,
    isByNpm,
    log: createConsoleLog({ level: 'warn', write: (line) => process.stderr.write(line) }),
    // npm runs scripts in the project's folder, but the user's paths are relative to the user's folder.
    folder: (isByNpm ? env.INIT_CWD : undefined) || process.cwd(),
    hasColour: process.stdout.isTTY && !env.NO_COLOR && env.TERM !== 'dumb',
    isDebugging: env.LOG_LEVEL === 'debug',
    openInBrowser: (url) =>
      openInBrowser(url, { platform: process.platform, env: { ...env, ROOM_API_TOKEN: undefined } }),
  }
}

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
