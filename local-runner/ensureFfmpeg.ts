import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '#core/environment'

/**
 * What `locate` finds. When it finds nothing and this is a Debian system, installs ffmpeg as root and locates it again.
 * @throws what `locate` throws
 */
export async function ensureFfmpeg<T>(
  locate: () => Promise<T>,
  options: AptGetOptions & { readonly canInstall?: boolean },
): Promise<T> {
  const { say, canInstall = isDebianAsRoot() } = options
  try {
    return await locate()
  } catch (error) {
    if (!canInstall) throw error
  }
  say('No ffmpeg was found. This is a Debian system and you are root: installing it by apt-get …')
  // Without a network the lists of an earlier update may do.
  await aptGet(['update', '-qq'], options)
  await aptGet(['install', '-y', '-qq', '--no-install-recommends', 'ffmpeg'], options)
  const found = await locate()
  say('ffmpeg is installed.')
  return found
}

function isDebianAsRoot(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version')
}

export type AptGetOptions = {
  /** Takes one line for the user. */
  readonly say: (line: string) => void
  readonly env: Environment
  /** How long to wait for locks that other programs hold. */
  readonly lockTimeoutMs?: number
  readonly retryMs?: number
}

const LOCK_TIMEOUT_MS = 60_000
const RETRY_MS = 1000
/** All of apt's locks: of the package lists, of the downloaded packages, and dpkg's own. */
const LOCKED = /Could not get lock|Unable to (acquire|lock)/
const HOLDER = /held by process (\d+) \(([^)]*)\)/

/**
 * Runs `apt-get` without questions. While another program holds a lock, tries again until `lockTimeoutMs` have passed.
 * Retries cover every lock; apt's option `DPkg::Lock::Timeout` covers only those of dpkg, and waits without saying so.
 * @returns whether it succeeded; when it did not, its error output has been passed to `say`
 */
export async function aptGet(args: readonly string[], options: AptGetOptions): Promise<boolean> {
  const { say, env, lockTimeoutMs = LOCK_TIMEOUT_MS, retryMs = RETRY_MS } = options
  const giveUpAt = performance.now() + lockTimeoutMs
  let hasSaidSo = false
  for (;;) {
    const stderr = await runAptGet(args, env)
    if (stderr === undefined) return true
    if (!LOCKED.test(stderr) || performance.now() >= giveUpAt) {
      say(stderr.trim())
      return false
    }
    if (!hasSaidSo) say(waitingFor(stderr, lockTimeoutMs))
    hasSaidSo = true
    await sleep(retryMs)
  }
}

function waitingFor(stderr: string, lockTimeoutMs: number): string {
  const [, pid, name] = HOLDER.exec(stderr) ?? []
  const holder = pid === undefined ? 'Another program' : `Process ${pid} (${name})`
  return `${holder} is using apt. Waiting up to ${lockTimeoutMs / 1000} s for it to finish …`
}

/** @returns its error output; undefined when it succeeded */
function runAptGet(args: readonly string[], env: Environment): Promise<string | undefined> {
  // Its messages are read here, so they must not be translated.
  const options = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' } }
  return new Promise((resolve) => {
    execFile('apt-get', args, options, (error, _output, stderr) => {
      const isMissing = typeof error?.code === 'string'
      resolve(error ? stderr || (isMissing ? String(error) : '') : undefined)
    })
  })
}
