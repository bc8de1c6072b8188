import { basename, dirname, join, parse, relative } from 'node:path'
import { equalBytes, ServiceError } from '@lantern-room/base'
import { readFrom } from '@lantern-room/formats'
import type { Extracted } from '@lantern-room/formats/parts'
import { joinParts, sizeOfParts } from '@lantern-room/formats/parts'
import { stripFile } from '@lantern-room/media'
import type { ByteSource } from '@lantern-room/media/ports'
import { EXIT_OK } from '../../commandLine/failure'
import { printable } from '../../commandLine/readArguments'
import type { MotionPhotoDependencies } from '../compose'
import { about, endsAll, failureOf } from '../failure'
import type { PhotoCommand } from '../options/photoCommand'
import { withPhoto } from '../photoFile'
import { tellObject, tellPath } from '../tell'
import { checkReport, createBatchReport, passedOverText, writeReport } from './batchReport'
import { filesBelow, type PassedOver } from './findFiles'
import { namesLike } from './outputNames'
import { createOutputPlan, inputsById, type OutputPlan } from './outputPlan'
import type { Place } from './survey'

type Strip = Extract<PhotoCommand, { readonly kind: 'strip' }>

/** What became of a file; spelled as the output of `--json`. */
type Outcome = {
  readonly result: 'stripped' | 'there' | 'no-motion-photo' | 'refused'
  readonly output?: string
  readonly bytes?: number
  readonly bytes_saved?: number
  readonly error?: string
}

/** A part that is to be written. `isReplacing`: over a plain file. */
type Planned = { readonly output: string; readonly isReplacing: boolean; readonly result?: undefined }

type Surroundings = { readonly dependencies: MotionPhotoDependencies; readonly signal: AbortSignal }

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
  const inputs = await inputsById(
    places.map(({ path }) => path),
    files,
  )
  const plan = createOutputPlan(files, inputs)
  if (reportPath !== undefined) {
    await plan.claimReport(reportPath)
    await checkReport(reportPath, files)
  }
  const planned: (Planned | Outcome)[] = []
  let exitCode = EXIT_OK
  for (const place of places)
    planned.push(await planPart(place, command, plan, { dependencies, signal }).catch(unstripped))
  await sweepFolders(planned, dependencies)

  const report = createBatchReport()
  const counts = { stripped: 0, there: 0, 'no-motion-photo': 0, refused: 0 }
  let bytesSaved = 0
  try {
    for (const [at, place] of places.entries()) {
      const decided = planned[at] ?? { result: 'no-motion-photo' as const }
      const outcome = decided.result
        ? decided
        : await strip(place, decided, command, { dependencies, signal }).catch(unstripped)
      tell(place.path, outcome, command)
      const { result: status, output, error: reason } = outcome
      report.add({ input: place.path, status, output, reason }, basename(place.path))
      counts[outcome.result] += 1
      bytesSaved += outcome.bytes_saved ?? 0
    }
  } finally {
    if (reportPath !== undefined) await writeReport(reportPath, report, files)
  }
  process.stderr.write(report.refusedText() + sumText(counts, bytesSaved, command, passedOver))
  return exitCode

  function unstripped(error: unknown): Outcome {
    signal.throwIfAborted()
    const code = error instanceof ServiceError ? error.code : undefined
    if (code === undefined && endsAll(error)) throw error
    if (code === 'unsupported-media') return { result: 'no-motion-photo' }
    const failure = failureOf(error)
    exitCode = Math.max(exitCode, failure.exitCode)
    return { result: 'refused', error: failure.sentence }
  }
}

function sumText(
  counts: Readonly<Record<Outcome['result'], number>>,
  bytesSaved: number,
  { what }: Strip,
  passedOver: PassedOver,
): string {
  const saved = what === 'still' ? `, ${sizeText(bytesSaved)} saved` : ''
  const sums = [
    `${counts.stripped} stripped${saved}`,
    `${counts.there} there already, ${counts['no-motion-photo']} no motion photos, ${counts.refused} refused`,
    passedOverText(passedOver),
  ]
  return `${sums.filter((text) => text !== undefined).join('; ')}\n`
}

async function findPlaces(
  { inputs, out, isRecursive }: Strip,
  passedOver: PassedOver,
  { dependencies: { files }, signal }: Surroundings,
): Promise<readonly Place[]> {
  const outId = out === undefined ? undefined : (await files.entryAt(out))?.id
  // ZIPs are large, and mostly something else.
  const isWanted = (name: string) => !/\.zip$/i.test(name)
  const places = new Map<string, Place>()
  for (const path of inputs) {
    for await (const place of filesBelow({ path }, { isRecursive, outId, isWanted, passedOver }, files)) {
      signal.throwIfAborted()
      const key = await files.realPlace(place.path)
      if (!places.has(key)) places.set(key, place)
    }
  }
  return [...places.values()]
}

/** @throws ServiceError `unsupported-media` of what is no photo, and others */
async function planPart(
  place: Place,
  command: Strip,
  plan: OutputPlan,
  { dependencies, signal }: Surroundings,
): Promise<Planned | Outcome> {
  const { path, error } = place
  if (error) return about(path, () => Promise.reject(error))
  return withPhoto(dependencies, path, async (source) => {
    const part = await readFrom(stripFile(source, command.what), source, signal)
    if (!part) return { result: 'no-motion-photo' }
    const family = namesLike(partPath(place, command, part.mediaType))
    const holder = { label: basename(path), path }
    for (const output of command.force ? [] : await plan.present(family)) {
      if (plan.isClaimed(output) || !(await isThere(output, part, source, dependencies))) continue
      plan.claim(output, family, holder)
      return { result: 'there', output }
    }
    const rules = { isExact: true, ...(command.force && { mayReplace: async () => true }) }
    const choice = await plan.choose(family, holder, rules)
    if (choice.problem !== undefined) throw new ServiceError('invalid-request', choice.problem)
    return { output: choice.path, isReplacing: choice.isReplacing }
  })
}

/** Whether what is there is this part, byte by byte. */
async function isThere(
  output: string,
  { parts }: Extracted,
  source: ByteSource,
  { files }: MotionPhotoDependencies,
): Promise<boolean> {
  const there = await files.openPhoto(output)
  if (there.size !== sizeOfParts(parts)) return false
  return equalBytes(await joinParts(parts, source), await there.read(0, there.size))
}

/** What killed runs have left beside the parts of this one. */
async function sweepFolders(
  planned: readonly (Planned | Outcome)[],
  { files }: MotionPhotoDependencies,
): Promise<void> {
  const folders = new Set(planned.flatMap(({ output }) => (output === undefined ? [] : [dirname(output)])))
  for (const folder of folders) await files.sweepUnfinished(folder)
}

/** @throws ServiceError */
async function strip(
  { path }: Place,
  { output, isReplacing }: Planned,
  command: Strip,
  { dependencies, signal }: Surroundings,
): Promise<Outcome> {
  const { files } = dependencies
  return withPhoto(dependencies, path, async (source, fileBytes): Promise<Outcome> => {
    const part = await readFrom(stripFile(source, command.what), source, signal)
    if (!part) return { result: 'no-motion-photo' }
    const bytes = await joinParts(part.parts, source)
    const [modifiedMs, mode] = [
      await files.modificationTime(path),
      await files.commonMode(await files.filesOf([path])),
    ]
    await files.makeFolder(dirname(output))
    await files.writeOutput(output, bytes, { mayOverwrite: isReplacing, signal, modifiedMs, mode })
    const saved = command.what === 'still' ? { bytes_saved: fileBytes - bytes.length } : {}
    return { result: 'stripped', output, bytes: bytes.length, ...saved }
  })
}

/** Beside the file, or at its place below `out`. The photo of a Live Photo has the ending of its format. */
function partPath({ path, folder }: Place, { what, out }: Strip, mediaType: keyof typeof ENDINGS): string {
  const place = folder === undefined ? basename(path) : relative(folder, path)
  const { dir, name, ext } = parse(out === undefined ? path : join(out, place))
  const isPicture = what === 'still' && /^\.(jpe?g|hei[cf]|avif)$/i.test(ext)
  const ending = isPicture ? ext : ENDINGS[mediaType]
  return join(dir, `${name}${out === undefined ? `_${what}` : ''}${ending}`)
}

const ENDINGS = {
  'image/jpeg': '.jpg',
  'image/heic': '.heic',
  'video/mp4': '.mp4',
  'video/quicktime': '.mov',
}

function tell(file: string, outcome: Outcome, { json }: Strip): void {
  const { result, output = '', bytes = 0, bytes_saved: saved, error } = outcome
  if (json) tellObject({ file, ...outcome })
  else if (result === 'stripped') tellPath(output)
  const texts = {
    stripped: `${printable(basename(output))}, ${saved === undefined ? sizeText(bytes) : `${sizeText(saved)} saved`}`,
    there: 'what it gives is there already',
    'no-motion-photo': 'no motion photo',
  }
  const line =
    result === 'refused' ? `motion-photo: ${error}` : `${printable(basename(file))}: ${texts[result]}`
  process.stderr.write(`${line}\n`)
}

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
