import { isSea } from 'node:sea'
import { listMods } from '#core/adapters/game/listMods'
import { createConsoleLog } from '#core/adapters/system/consoleLog'
import { openInBrowser } from '#core/adapters/system/openInBrowser'
import { registerLinks } from '#core/adapters/system/registerLinks'
import { version } from '#core/build'
import type { Environment } from '#core/environment'
import { type Language, preferredLanguage } from '#core/language'
import type { Log } from '#core/log'
import type { ListMods } from '#core/room/ports'

export function composeProgram(env: Environment = process.env): Program {
  const isByNpm = env.npm_lifecycle_event !== undefined
  return {
    version,
    env,
    isByNpm,
    log: createConsoleLog({ level: 'warn', write: (line) => process.stderr.write(line) }),
    // npm runs scripts in the project's folder, but the user's paths are relative to the user's folder.
    folder: (isByNpm ? env.INIT_CWD : undefined) || process.cwd(),
    isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
    language: languageOf(env),
    hasColour: process.stdout.isTTY && !env.NO_COLOR && env.TERM !== 'dumb',
    isDebugging: env.LOG_LEVEL === 'debug',
    listMods,
    async registerLinks() {
      const { platform, execPath } = process
      if (isSea()) await registerLinks(execPath, { platform, env }).catch(() => undefined)
    },
    openInBrowser: (url) =>
      openInBrowser(url, { platform: process.platform, env: { ...env, ROOM_API_TOKEN: undefined } }),
  }
}

/** By the variables that decide on every system that has them; on Windows and elsewhere by the system's own language. */
function languageOf({ LC_ALL, LC_MESSAGES, LANG, TERM }: Environment): Language {
  // The console of Linux has no Chinese letters.
  if (TERM === 'linux') return 'en'
  const named = [LC_ALL, LC_MESSAGES, LANG].find(Boolean)
  return preferredLanguage(null, [named?.replace('_', '-') ?? Intl.DateTimeFormat().resolvedOptions().locale])
}

/** How and where the command was started. */
export type Program = {
  readonly version: string
  readonly env: Environment
  /** Relative paths start from here. */
  readonly folder: string
  readonly hasColour: boolean
  /** Whether a person reads and types. */
  readonly isInteractive: boolean
  /** In which players are spoken to. */
  readonly language: Language
  /** Started by npm, which puts a shell between itself and this process. */
  readonly isByNpm: boolean
  /** For what the process itself reports, in JSON lines on standard error. */
  readonly log: Log
  /** Errors are shown with their causes. */
  readonly isDebugging: boolean
  readonly listMods: ListMods
  /** Has links of invitations opened by this program, if it is an executable. Never rejects. */
  registerLinks(): Promise<void>
  /** @returns whether a program took the address */
  openInBrowser(url: string): Promise<boolean>
}
