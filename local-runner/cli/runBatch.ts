import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { ServiceError } from '#core/errors'
import { EXIT_ENVIRONMENT, EXIT_FAILED, EXIT_OK } from '../commandLine/failure'
import { printable } from '../commandLine/readArguments'
import type { MotionPhotoDependencies, Tools } from './compose'
import { about, failureOf } from './failure'
import { makeMotionPhoto } from './makeMotionPhoto'
import type { VideoOptions } from './options/readOptions'
import { NO_PROGRESS } from './progress'
import type { Result } from './result'

/** `text` is for the video's line. */
type Outcome = {
  readonly kind: 'made' | 'skipped' | 'refused'
  readonly text: string
  readonly result?: Result
}

/**
 * Makes a photo of each of several videos, one after the other. One that is there already is left as it is, so that a batch
 * which was stopped goes on where it was. A video that is refused does not end the others.
 * @returns the exit code: 0 when none was refused
 * @throws what would end every other video, too: ConfigError, ServiceError about this machine, the signal's reason
 */
export async function runBatch(
  { folder, videos }: { readonly folder: string; readonly videos: readonly VideoOptions[] },
  dependencies: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<number> {
  await about(folder, () => dependencies.files.makeFolder(folder))
  // ffmpeg is looked for once, and not at all when every photo is there.
  let tools: Promise<Tools> | undefined
  const openTools = () => {
    tools ??= dependencies.openTools()
    return tools
  }
  const counts = { made: 0, skipped: 0, refused: 0 }
  for (const [index, video] of videos.entries()) {
    const outcome = await makeOne(video, { ...dependencies, openTools }, signal)
    counts[outcome.kind] += 1
    reportOutcome(video, outcome, `[${index + 1}/${videos.length}] `)
  }
  if (!videos[0]?.quiet) {
    process.stderr.write(`${counts.made} made, ${counts.skipped} there already, ${counts.refused} refused\n`)
  }
  return counts.refused === 0 ? EXIT_OK : EXIT_FAILED
}

/** One line for a video that is done: its photo's path on standard output, and what became of it on standard error. */
function reportOutcome({ input, json, quiet }: VideoOptions, outcome: Outcome, before: string): void {
  const { kind, text, result } = outcome
  if (result) process.stdout.write(`${json ? JSON.stringify({ input, ...result }) : result.output}\n`)
  if (!quiet || kind === 'refused') process.stderr.write(`${before}${printable(basename(input))}: ${text}\n`)
}

async function makeOne(
  video: VideoOptions,
  dependencies: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const surroundings = { stdin: Readable.from([]), progress: NO_PROGRESS, signal }
    const { result, notes } = await makeMotionPhoto(video, dependencies, surroundings)
    return { kind: 'made', text: [printable(basename(video.output)), ...notes].join('; '), result }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ServiceError)) throw error
    if (error.code === 'conflict') return { kind: 'skipped', text: 'is there already' }
    const { exitCode, sentence } = failureOf(error)
    if (exitCode === EXIT_ENVIRONMENT) throw error
    return { kind: 'refused', text: withoutName(sentence, video.input) }
  }
}

/** The line begins with the file's name, so the sentence need not. */
function withoutName(sentence: string, path: string): string {
  const name = `${printable(path)}: `
  return sentence.startsWith(name) ? sentence.slice(name.length) : sentence
}
