import { basename, dirname } from 'node:path'
import { Readable } from 'node:stream'
import { ServiceError } from '#core/errors'
import { EXIT_FAILED, EXIT_OK } from '../commandLine/failure'
import { printable } from '../commandLine/readArguments'
import type { MotionPhotoDependencies, Tools } from './compose'
import { about, endsAll, failureOf } from './failure'
import { makeMotionPhoto } from './makeMotionPhoto'
import type { BatchCommand } from './options/parseMotionPhotoCommand'
import type { Given } from './options/readOptions'
import { planBatch, type Thing } from './planBatch'
import { NO_PROGRESS } from './progress'
import type { Result } from './result'

/** `text` is for the thing's line. */
type Outcome = {
  readonly kind: 'made' | 'skipped' | 'refused'
  readonly text: string
  readonly result?: Result
}

/**
 * Makes a photo of each of several files, one after the other. One that is there already is left as it is, so that a batch
 * which was stopped goes on where it was. A file that is refused does not end the others.
 * @returns the exit code: 0 when none was refused
 * @throws what would end every other file, too: ConfigError, ServiceError about this machine, the signal's reason
 */
export async function runBatch(
  batch: BatchCommand,
  dependencies: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<number> {
  const { given } = batch
  const things = await planBatch(batch, dependencies.files, signal)
  // ffmpeg is looked for once, and not at all when every photo is there.
  let tools: Promise<Tools> | undefined
  const openTools = () => {
    tools ??= dependencies.openTools()
    return tools
  }
  const made = given.has('dry-run') ? 'would be made' : 'made'
  const rows = new Map([[made, 0]])
  try {
    for (const [index, thing] of things.entries()) {
      const outcome = await outcomeOf(thing, given, { ...dependencies, openTools }, signal)
      const row = { made, skipped: `skipped: ${outcome.text}`, refused: 'refused' }[outcome.kind]
      rows.set(row, (rows.get(row) ?? 0) + 1)
      reportOutcome(thing, outcome, given, `[${index + 1}/${things.length}] `)
    }
  } finally {
    const counted = [...rows].filter(([, number]) => number > 0 || rows.size > 1)
    const table = counted.map(([row, number]) => `${String(number).padStart(4)} ${row}\n`)
    if (!given.has('quiet')) process.stderr.write(table.join(''))
  }
  return rows.has('refused') ? EXIT_FAILED : EXIT_OK
}

/** One line for a file that is done: its photo's path on standard output, and what became of it on standard error. */
function reportOutcome(thing: Thing, { kind, text, result }: Outcome, given: Given, before: string): void {
  const { label, video } = thing
  const files = { input: video?.input ?? label, photo: video?.photo }
  const object = { ...files, status: kind, ...(result ?? { text }) }
  if (given.has('json')) process.stdout.write(`${JSON.stringify(object)}\n`)
  else if (result) process.stdout.write(`${result.output}\n`)
  if (!given.has('quiet') || kind === 'refused') process.stderr.write(`${before}${label}: ${text}\n`)
}

async function outcomeOf(
  { video, problem }: Thing,
  given: Given,
  dependencies: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<Outcome> {
  signal.throwIfAborted()
  if (problem) return problem
  const { files } = dependencies
  const name = printable(basename(video.output))
  const isThere = await files.isFile(video.output)
  if (isThere && !video.force) return { kind: 'skipped', text: 'is there already' }
  if (given.has('dry-run')) return { kind: 'made', text: `would become ${name}` }
  try {
    await about(dirname(video.output), () => files.makeFolder(dirname(video.output)))
    const surroundings = { stdin: Readable.from([]), progress: NO_PROGRESS, signal }
    const { result, notes } = await makeMotionPhoto(video, dependencies, surroundings)
    return { kind: 'made', text: [name, ...notes].join('; '), result }
  } catch (error) {
    signal.throwIfAborted()
    if (endsAll(error)) throw error
    const isTaken = error instanceof ServiceError && error.code === 'conflict'
    if (isTaken) return { kind: 'skipped', text: 'is there already' }
    return { kind: 'refused', text: withoutName(failureOf(error).sentence, video.input) }
  }
}

/** The line begins with the file's name, so the sentence need not. */
function withoutName(sentence: string, path: string): string {
  const name = `${printable(path)}: `
  return sentence.startsWith(name) ? sentence.slice(name.length) : sentence
}
