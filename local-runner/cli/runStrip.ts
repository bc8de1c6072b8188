import { basename, dirname, join, parse, relative } from 'node:path'
import { ServiceError } from '#core/errors'
import { joinParts } from '#core/formats/source/fileParts'
import { readFrom } from '#core/formats/source/reading'
import { stripFile } from '#core/media/photos/extractFile'
import { EXIT_OK } from '../commandLine/failure'
import { printable } from '../commandLine/readArguments'
import type { MotionPhotoDependencies } from './compose'
import { about, endsAll, failureOf } from './failure'
import { filesBelow, type Place } from './findFiles'
import type { PhotoCommand } from './options/photoCommand'
import { withPhoto } from './photoFile'

type Strip = Extract<PhotoCommand, { readonly kind: 'strip' }>

/** What became of a file; spelled as the output of `--json`. */
type Outcome = {
  readonly result: 'stripped' | 'there' | 'no-motion-photo' | 'refused'
  readonly output?: string
  readonly bytes?: number
  readonly bytes_saved?: number
  readonly error?: string
}

/**
 * Writes the picture, or the video, of each motion photo among the files and folders that are named. What is there already stays, so that
 * the same command goes on where it was stopped; a file that is refused does not end the others.
 * @returns the exit code: 0 when none was refused
 * @throws ServiceError when the folder for them cannot be made; the signal's reason
 */
export async function runStrip(
  command: Strip,
  dependencies: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<number> {
  const { out } = command
  if (out !== undefined) await about(out, () => dependencies.files.makeFolder(out))
  const counts = { stripped: 0, there: 0, 'no-motion-photo': 0, refused: 0 }
  // Of which file each part is.
  const parts = new Map<string, string>()
  const search = { isRecursive: command.isRecursive, out, isWanted: isShown, isSearched: isShown }
  let [exitCode, bytesSaved] = [EXIT_OK, 0]
  for (const input of command.inputs) {
    for await (const place of filesBelow({ path: input }, search, dependencies.files)) {
      const outcome = await strip(place, command, parts, dependencies, signal).catch(unstripped)
      report(place.path, outcome, command)
      counts[outcome.result] += 1
      bytesSaved += outcome.bytes_saved ?? 0
    }
  }
  process.stderr.write(
    `${counts.stripped} stripped${command.what === 'still' ? `, ${sizeText(bytesSaved)} saved` : ''}; ${counts.there} there already, ${counts['no-motion-photo']} no motion photos, ${counts.refused} refused\n`,
  )
  return exitCode

  function unstripped(error: unknown): Outcome {
    signal.throwIfAborted()
    const code = error instanceof ServiceError ? error.code : undefined
    if (code === undefined && endsAll(error)) throw error
    if (code === 'unsupported-media') return { result: 'no-motion-photo' }
    if (code === 'conflict') return { result: 'there' }
    const failure = failureOf(error)
    exitCode = Math.max(exitCode, failure.exitCode)
    return { result: 'refused', error: failure.sentence }
  }
}

/** In a folder all is looked at but what is hidden, and ZIPs. */
function isShown(name: string): boolean {
  return !name.startsWith('.') && !/\.zip$/i.test(name)
}

/** @throws ServiceError `conflict` when the part is there already, `unsupported-media` of what is no photo, and others */
async function strip(
  place: Place,
  command: Strip,
  parts: Map<string, string>,
  dependencies: MotionPhotoDependencies,
  signal: AbortSignal,
): Promise<Outcome> {
  const { out, force } = command
  const { files } = dependencies
  const { path, error } = place
  if (error) return about(path, () => Promise.reject(error))
  return withPhoto(dependencies, path, async (source, fileBytes): Promise<Outcome> => {
    const part = await readFrom(stripFile(source, command.what), source, signal)
    if (!part) return { result: 'no-motion-photo' }
    const output = partPath(place, command, part.mediaType)
    const other = parts.get(output) ?? path
    if (other !== path) {
      const detail = `It would become ${printable(output)}, as ${printable(other)} does.`
      throw new ServiceError('invalid-request', detail)
    }
    parts.set(output, path)
    if (out !== undefined) await files.makeFolder(dirname(output))
    await files.checkOutput(output, { mayOverwrite: force, input: path })
    const bytes = await joinParts(part.parts, source)
    const modifiedMs = await files.modificationTime(path)
    await files.writeOutput(output, bytes, { mayOverwrite: force, signal, modifiedMs })
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

function report(file: string, outcome: Outcome, { json }: Strip): void {
  const { result, output = '', bytes = 0, bytes_saved: saved, error } = outcome
  if (json) process.stdout.write(`${JSON.stringify({ file, ...outcome })}\n`)
  else if (result === 'stripped') process.stdout.write(`${output}\n`)
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
