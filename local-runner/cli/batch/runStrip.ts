import { basename } from 'node:path'
import { ServiceError } from '@lantern-room/base'
import { stripFile } from '@lantern-room/formats/files'
import { joinParts, readFrom } from '@lantern-room/mp4/source'
import { EXIT_OK } from '../../commandLine/failure'
import type { MotionPhotoDependencies } from '../compose'
import { about, endsAll, failureOf } from '../failure'
import { withPhoto } from '../photoFile'
import { createBatchReport, withReport } from './batchReport'
import type { PassedOver } from './findFiles'
import { openPlan } from './openPlan'
import { makeFolderOf, sweepBeside } from './outputFolders'
import { findPlaces, type Planned, planPart, type Surroundings } from './planStrip'
import type { Place } from './survey'
import { type Strip, type StripOutcome, sumText, tellStripped } from './tellStrip'

/**
 * Writes the picture, or the video, of each motion photo among the files and folders that are named. What is there already stays, so that
 * the same command goes on where it was stopped; a file that is refused does not end the others. What goes where is decided before the
 * first is written.
 * @returns the exit code: 0 when none was refused
 * @throws ServiceError when the folder for them cannot be made; the signal's reason
 */
export async function runStrip(
  command: Strip,
  dependencies: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<number> {
  const { out, report: reportPath } = command
  const { files } = dependencies
  if (out !== undefined) await about(out, () => files.checkFolder(out))
  const passedOver: PassedOver = new Map()
  const places = await findPlaces(command, passedOver, { dependencies, signal })
  const plan = await openPlan(
    places.map(({ path }) => path),
    reportPath,
    files,
  )
  const planned: (Planned | StripOutcome)[] = []
  let exitCode = EXIT_OK
  for (const place of places)
    planned.push(await planPart(place, command, plan, { dependencies, signal }).catch(unstripped))
  await sweepBeside(
    planned.map(({ output }) => output),
    files,
  )

  const report = createBatchReport()
  const counts = { stripped: 0, there: 0, 'no-motion-photo': 0, refused: 0 }
  let bytesSaved = 0
  try {
    await withReport(reportPath, report, files, async () => {
      for (const [at, place] of places.entries()) {
        const decided = planned[at] ?? { result: 'no-motion-photo' as const }
        const outcome = decided.result ? decided : await stripOne(place, decided)
        tellStripped(place.path, outcome, command)
        note(place, outcome)
        counts[outcome.result] += 1
        bytesSaved += outcome.bytes_saved ?? 0
      }
    })
  } finally {
    process.stderr.write(report.refusedText() + sumText(counts, bytesSaved, command, passedOver))
  }
  return exitCode

  function note({ path: input }: Place, { result: status, output, error: reason }: StripOutcome): void {
    report.add({ input, status, output, reason }, basename(input))
  }

  async function stripOne(place: Place, decided: Planned): Promise<StripOutcome> {
    const part = await readPart(place, command, { dependencies, signal }).catch(unstripped)
    if ('result' in part) return part
    try {
      return await writePart(part, decided, command, { dependencies, signal })
    } catch (error) {
      if (signal.aborted || !endsAll(error)) return unstripped(error)
      note(place, { result: 'refused', output: decided.output, error: failureOf(error).sentence })
      throw error
    }
  }

  function unstripped(error: unknown): StripOutcome {
    signal.throwIfAborted()
    const code = error instanceof ServiceError ? error.code : undefined
    if (code === undefined && endsAll(error)) throw error
    if (code === 'unsupported-media') return { result: 'no-motion-photo' }
    const failure = failureOf(error)
    exitCode = Math.max(exitCode, failure.exitCode)
    return { result: 'refused', error: failure.sentence }
  }
}

type Part = {
  readonly bytes: Uint8Array
  /** Of the file that it is from. */
  readonly fileBytes: number
  readonly modifiedMs: number
  readonly mode: number
}

/** @throws ServiceError about the file */
function readPart(
  { path }: Place,
  { what }: Strip,
  { dependencies, signal }: Surroundings,
): Promise<Part | StripOutcome> {
  const { files } = dependencies
  return withPhoto(dependencies, path, async (source, fileBytes): Promise<Part | StripOutcome> => {
    const part = await readFrom(stripFile(source, what), source, signal)
    if (!part) return { result: 'no-motion-photo' }
    const modifiedMs = await files.modificationTime(path)
    const mode = await files.commonMode(await files.filesOf([path]))
    return { bytes: await joinParts(part.parts, source), fileBytes, modifiedMs, mode }
  })
}

/** @throws ServiceError about the output */
async function writePart(
  { bytes, fileBytes, modifiedMs, mode }: Part,
  { output, isReplacing }: Planned,
  { what, out }: Strip,
  { dependencies: { files }, signal }: Surroundings,
): Promise<StripOutcome> {
  await makeFolderOf(output, out, files)
  await about(output, () =>
    files.writeOutput(output, bytes, { mayOverwrite: isReplacing, signal, modifiedMs, mode }),
  )
  const saved = what === 'still' ? { bytes_saved: fileBytes - bytes.length } : {}
  return { result: 'stripped', output, bytes: bytes.length, ...saved }
}
