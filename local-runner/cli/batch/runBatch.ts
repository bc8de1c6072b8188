import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { ServiceError } from '@lantern-room/base'
import { EXIT_FAILED, EXIT_OK } from '../../commandLine/failure'
import { printable } from '../../commandLine/readArguments'
import type { MotionPhotoDependencies, Tools } from '../compose'
import { about, endsAll, failureOf } from '../failure'
import { makeMotionPhoto, type PhotoMakers } from '../makeMotionPhoto'
import type { BatchCommand } from '../options/parseMotionPhotoCommand'
import type { Given, VideoOptions } from '../options/readOptions'
import { NO_PROGRESS } from '../progress'
import type { Result } from '../result'
import { tellObject, tellPath } from '../tell'
import { type BatchReport, createBatchReport, passedOverText, withReport } from './batchReport'
import { makeFolderOf, sweepBeside } from './outputFolders'
import { type BatchPlan, planBatch, type Thing } from './planBatch'
import { identityOf } from './sourceIdentity'

/** `text` is for the thing's line. */
type Outcome = {
  readonly kind: 'made' | 'would-make' | 'skipped' | 'refused'
  readonly text: string
  readonly output?: string
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
  const { files } = dependencies
  const { report: reportPath, out } = batch
  const isDry = batch.given.has('dry-run')
  await about(out, () => files.checkFolder(out))
  const plan = await planBatch(batch, files, signal)
  const outputs = plan.things.map(({ video, problem }) => video?.output ?? problem?.output)
  if (!isDry) await sweepBeside(outputs, files)
  const report = createBatchReport()
  const isListed = await withReport(reportPath, report, files, () =>
    runAll(batch, plan, dependencies, { report, signal }),
  )
  return isListed ? EXIT_FAILED : EXIT_OK
}

type Telling = { readonly report: BatchReport; readonly signal: AbortSignal }

/** @returns whether a file was refused */
async function runAll(
  { given, out }: BatchCommand,
  { things, passedOver }: BatchPlan,
  dependencies: MotionPhotoDependencies,
  { report, signal }: Telling,
): Promise<boolean> {
  const { files, limits } = dependencies
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
      const making = outcomeOf(thing, { given, out }, { files, limits, openTools }, signal)
      const outcome = await making.catch((error: unknown) => {
        if (!signal.aborted) reportEnd(thing, error, report)
        throw error
      })
      const reason = `skipped: ${outcome.text}`
      const row = { made, 'would-make': made, skipped: reason, refused: 'refused' }[outcome.kind]
      rows.set(row, (rows.get(row) ?? 0) + 1)
      reportOutcome(thing, outcome, given, `[${index + 1}/${things.length}] `, report)
    }
  } finally {
    const counted = [...rows].filter(([, number]) => number > 0 || rows.size > 1)
    const table = counted.map(([row, number]) => `${String(number).padStart(4)} ${row}\n`)
    const passed = passedOverText(passedOver)
    if (!given.has('quiet')) {
      const lines = [
        report.refusedText(),
        ...table,
        passed === undefined ? '' : `${passed.replace(/^\d+/, (sum) => sum.padStart(4))}\n`,
      ]
      process.stderr.write(lines.join(''))
    }
  }
  return report.hasRefused()
}

/** One line for a file that is done: its photo's path on standard output, and what became of it on standard error. */
function reportOutcome(
  { label, input, photo }: Thing,
  { kind, text, output, result }: Outcome,
  given: Given,
  before: string,
  report: BatchReport,
): void {
  const reason = kind === 'skipped' || kind === 'refused' ? text : undefined
  report.add({ input, photo, status: kind, output: result?.output ?? output, reason }, label)
  if (given.has('json')) tellObject({ input, photo, status: kind, ...(result ?? { output, text }) })
  else if (result) tellPath(result.output)
  if (!given.has('quiet') || kind === 'refused')
    process.stderr.write(`${before}${label}: ${printable(text)}\n`)
}

/** The file at which the whole run ends has its line in the report. */
function reportEnd({ label, input, photo, video }: Thing, error: unknown, report: BatchReport): void {
  const { sentence: reason } = failureOf(error)
  report.add({ input, photo, status: 'refused', output: video?.output, reason }, label)
}

async function outcomeOf(
  { video, problem }: Thing,
  { given, out }: Pick<BatchCommand, 'given' | 'out'>,
  dependencies: PhotoMakers,
  signal: AbortSignal,
): Promise<Outcome> {
  signal.throwIfAborted()
  if (problem) return problem
  const { output, input } = video
  if (given.has('dry-run')) return { kind: 'would-make', text: `would become ${basename(output)}`, output }
  try {
    const { result, notes } = await make(video, out, dependencies, signal)
    return { kind: 'made', text: [basename(output), ...notes].join('; '), result }
  } catch (error) {
    signal.throwIfAborted()
    if (endsAll(error)) throw error
    // It was free when the plan was made.
    const isTaken = error instanceof ServiceError && error.code === 'conflict'
    if (isTaken)
      return { kind: 'refused', text: `another program has made ${output} meanwhile: run this again` }
    return { kind: 'refused', text: withoutName(failureOf(error).sentence, input) }
  }
}

async function make(video: VideoOptions, out: string, dependencies: PhotoMakers, signal: AbortSignal) {
  const { files } = dependencies
  const { input, photo, output } = video
  const paths = photo === undefined ? [input] : [photo, input]
  const sourceMark = video.sourceMark ?? (await about(input, () => identityOf(paths, files)))
  await makeFolderOf(output, out, files)
  const surroundings = { stdin: Readable.from([]), progress: NO_PROGRESS, signal }
  return makeMotionPhoto({ ...video, sourceMark }, dependencies, surroundings)
}

/** The line begins with the file's name, so the sentence need not. */
function withoutName(sentence: string, path: string): string {
  const name = `${printable(path)}: `
  return sentence.startsWith(name) ? sentence.slice(name.length) : sentence
}
