import { isSea } from 'node:sea'
import { listMods } from '@lantern-room/adapters/game'
import { createConsoleLog, openInBrowser, registerLinks } from '@lantern-room/adapters/system'
import { type Language, preferredLanguage, version } from '@lantern-room/base'
import type { Environment } from '@lantern-room/base/settings'

/** How and where the command was started. */
export type Program = ReturnType<typeof composeProgram>

export function composeProgram(env: Environment = process.env) {
  const isByNpm = env.npm_lifecycle_event !== undefined
  return {
    version,
    env,
    /** npm puts a shell between itself and this process. */
    isByNpm,
    /** For what the process itself reports, in JSON lines on standard error. */
    log: createConsoleLog({ level: 'warn' }),
    /** Relative paths start from here: npm runs scripts in the project's folder. */
    folder: (isByNpm ? env.INIT_CWD : undefined) || process.cwd(),
    /** Whether a person reads and types. */
    isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
    /** In which players are spoken to. */
    language: languageOf(env),
    hasColour: process.stdout.isTTY && !env.NO_COLOR && env.TERM !== 'dumb',
    /** Errors are shown with their causes. */
    isDebugging: env.LOG_LEVEL === 'debug',
    listMods,
    /** Has links of invitations opened by this program, if it is an executable. Never rejects. */
    async registerLinks() {
      const { platform, execPath } = process
      if (isSea()) await registerLinks(execPath, { platform, env }).catch(() => undefined)
    },
    /** @returns whether a program took the address */
    openInBrowser: (url: string) =>
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
