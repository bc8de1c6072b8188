import { basename, join, parse, relative } from 'node:path'
import { equalBytes, ServiceError } from '@lantern-room/base'
import type { ByteSource } from '@lantern-room/formats'
import { readFrom } from '@lantern-room/formats'
import type { Extracted } from '@lantern-room/formats/parts'
import { joinParts, sizeOfParts, stripFile } from '@lantern-room/formats/parts'
import { EXIT_OK } from '../../commandLine/failure'
import { printable } from '../../commandLine/readArguments'
import type { MotionPhotoDependencies } from '../compose'
import { about, endsAll, failureOf } from '../failure'
import type { PhotoCommand } from '../options/photoCommand'
import { withPhoto } from '../photoFile'
import { tellObject, tellPath } from '../tell'
import { createBatchReport, passedOverText, withReport } from './batchReport'
import { filesBelow, type PassedOver } from './findFiles'
import { openPlan } from './openPlan'
import { makeFolderOf, sweepBeside } from './outputFolders'
import { namesLike } from './outputNames'
import type { OutputPlan } from './outputPlan'
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
  const plan = await openPlan(
    places.map(({ path }) => path),
    reportPath,
    files,
  )
  const planned: (Planned | Outcome)[] = []
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
        tell(place.path, outcome, command)
        note(place, outcome)
        counts[outcome.result] += 1
        bytesSaved += outcome.bytes_saved ?? 0
      }
    })
  } finally {
    process.stderr.write(report.refusedText() + sumText(counts, bytesSaved, command, passedOver))
  }
  return exitCode

  function note({ path: input }: Place, { result: status, output, error: reason }: Outcome): void {
    report.add({ input, status, output, reason }, basename(input))
  }

  async function stripOne(place: Place, decided: Planned): Promise<Outcome> {
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
): Promise<Part | Outcome> {
  const { files } = dependencies
  return withPhoto(dependencies, path, async (source, fileBytes): Promise<Part | Outcome> => {
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
): Promise<Outcome> {
  await makeFolderOf(output, out, files)
  await about(output, () =>
    files.writeOutput(output, bytes, { mayOverwrite: isReplacing, signal, modifiedMs, mode }),
  )
  const saved = what === 'still' ? { bytes_saved: fileBytes - bytes.length } : {}
  return { result: 'stripped', output, bytes: bytes.length, ...saved }
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
