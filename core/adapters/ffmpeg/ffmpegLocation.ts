import { access } from 'node:fs/promises'
import { ServiceError, systemCode } from '@lantern-room/base'
import { runProcess } from '../process/processRunner'

/** An ffmpeg that was started once, to see that it runs and encodes H.264. */
export type FfmpegLocation = {
  /** What to start: an absolute path, or a name that the system finds. */
  readonly path: string
  /** The first line of `-version`. */
  readonly version: string
}

/** Where an ffmpeg may be that nobody has configured. */
const PLACES = {
  /** Where the Lambda layer has it. */
  layer: '/opt/bin/ffmpeg',
  /** Path of an ffmpeg that came with a package. */
  packaged: fromPackage,
  /** Looked up in `PATH`. */
  command: 'ffmpeg',
}

/**
 * Finds an ffmpeg that runs and can encode H.264: the configured one, the Lambda layer's, `ffmpeg-static`'s, the
 * system's, in this order. A configured one that does not work is an error; the others are passed over.
 * @param configured path that the user has set; undefined = look in all the other places
 * @param places where to look. @default those named above
 * @throws ServiceError `unavailable`, whose text says what was tried and how to get one
 * @example const { path, version } = await locateFfmpeg(config.ffmpegPath)
 */
export async function locateFfmpeg(configured: string | undefined, places = PLACES): Promise<FfmpegLocation> {
  if (configured !== undefined) {
    const found = await examine(configured)
    if ('problem' in found) throw refused(found)
    return found
  }
  const problems: Problem[] = []
  for (const candidate of [places.layer, await places.packaged(), places.command]) {
    if (candidate === undefined) continue
    const found = await examine(candidate)
    if (!('problem' in found)) return found
    problems.push(found)
  }
  throw missing(problems)
}

type Problem = { readonly problem: 'absent' | 'broken' | 'no H.264'; readonly cause: unknown }

async function examine(path: string): Promise<FfmpegLocation | Problem> {
  try {
    // The system resolves a bare name.
    if (/[/\\]/.test(path)) await access(path)
  } catch (cause) {
    return { problem: 'absent', cause }
  }
  try {
    const version = (await answer(path, ['-version'])).split('\n', 1)[0]?.trim() ?? ''
    if (!version.startsWith('ffmpeg ')) return { problem: 'broken', cause: new Error(`${path}: ${version}`) }
    if (/\slibx264\s/.test(await answer(path, ['-hide_banner', '-encoders']))) return { path, version }
    return { problem: 'no H.264', cause: new Error(`${path}: ${version}`) }
  } catch (cause) {
    const reason = systemCode(cause instanceof ServiceError ? cause.cause : cause)
    return { problem: reason === 'ENOENT' ? 'absent' : 'broken', cause }
  }
}

async function answer(file: string, args: readonly string[]): Promise<string> {
  const signal = new AbortController().signal
  const { exitCode, stdout, stderr } = await runProcess({ file, args, timeoutMs: 15_000, signal })
  if (exitCode !== 0) throw new Error(`${file} ${args.join(' ')}: exit code ${exitCode}: ${stderr}`)
  return new TextDecoder().decode(stdout)
}

/** Optional: npm leaves it out where its binary cannot be downloaded. */
async function fromPackage(): Promise<string | undefined> {
  // A variable instead of a literal, because the types are missing where the package was left out.
  const name: string = 'ffmpeg-static'
  try {
    const { default: path }: { default?: unknown } = await import(name)
    return typeof path === 'string' ? path : undefined
  } catch {
    return undefined
  }
}

function refused({ problem, cause }: Problem): ServiceError {
  const sentence = {
    absent: 'FFMPEG_PATH names a file that does not exist.',
    broken: 'FFMPEG_PATH names a program that does not run as ffmpeg.',
    'no H.264': 'The ffmpeg that FFMPEG_PATH names was built without libx264.',
  }[problem]
  return new ServiceError('unavailable', `${sentence} Correct it, or unset it to let ffmpeg be found.`, {
    cause,
  })
}

function missing(problems: readonly Problem[]): ServiceError {
  const has = (wanted: Problem['problem']) => problems.some(({ problem }) => problem === wanted)
  const found = has('no H.264')
    ? 'The ffmpeg that was found was built without libx264'
    : has('broken')
      ? 'The ffmpeg that was found does not run'
      : 'No ffmpeg was found'
  return new ServiceError(
    'unavailable',
    `${found} (looked at FFMPEG_PATH, /opt/bin/ffmpeg, the package ffmpeg-static and PATH). Install one with "apt-get install ffmpeg" or "brew install ffmpeg", or set FFMPEG_PATH.`,
    { cause: new AggregateError(problems.map(({ cause }) => cause)) },
  )
}
