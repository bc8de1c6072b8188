import { basename, join, parse } from 'node:path'
import type { Readable } from 'node:stream'
import { ServiceError } from '@lantern-room/base'
import type { WallClock } from '@lantern-room/formats'
import { checkPhotoHead, type SourceMark, withSourceMark } from '@lantern-room/formats/files'
import { unixTimeOf } from '@lantern-room/formats/time'
import type { MediaLimits } from '@lantern-room/media'
import { createSniffer, instantOf, MAX_VIDEO_SECONDS } from '@lantern-room/media/files'
import {
  checkPictureHead,
  MAX_PICTURE_BYTES,
  type PhotoOfFile,
  type PhotoRequest,
  type PhotoTools,
  photoOfFile,
} from '@lantern-room/media/make'
import { printable } from '../commandLine/readArguments'
import type { MotionPhotoDependencies, UserFiles } from './compose'
import { about, checkRange, inWordsOfOptions, inWorkFolder, onThisMachine } from './failure'
import { HEIC_NAME, isPhotoName } from './options/fileNames'
import type { Options } from './options/readOptions'
import { type OutputPackage, packOutput, sizeOfPackage } from './outputPackage'
import type { PhotoProgress } from './progress'
import { describeResult, notesOf, type Result } from './result'

/** What makes a photo on this machine. */
export type PhotoMakers = Pick<MotionPhotoDependencies, 'files' | 'limits' | 'openTools'>

export type PhotoSurroundings = {
  readonly stdin: Readable
  readonly progress: PhotoProgress
  readonly signal: AbortSignal
}

/** The result, and what the user should know of it. */
export type Written = { readonly result: Result; readonly notes: readonly string[] }

const STANDARD_INPUT = 'standard input'

/**
 * Makes a motion photo of one file. What can be refused is refused before any work.
 * @throws UsageError, ConfigError, ServiceError, or the signal's reason; then nothing is left behind
 */
export async function makeMotionPhoto(
  options: Options,
  dependencies: PhotoMakers,
  surroundings: PhotoSurroundings,
): Promise<Written> {
  const { input, photo, output, force } = options
  const { files } = dependencies
  const { progress, signal } = surroundings
  const limits = dependencies.limits()
  checkRange(options, limits)

  progress.stage('reading', printable(input === undefined ? STANDARD_INPUT : basename(input)))
  const { checkHead, kind } = createSniffer()
  if (input !== undefined) await about(input, () => files.readInputHead(input, checkHead))
  if (photo !== undefined) await about(photo, () => files.readInputHead(photo, checkPhotoHead))
  const inputs = await files.filesOf(inputsOf(options))
  await about(output, () => files.checkOutput(output, { mayOverwrite: force, inputs }))
  const tools = await dependencies.openTools()
  signal.throwIfAborted()

  return inWorkFolder(tools.workFolders, async (folder) => {
    const saving = { path: folder.path('input'), maxBytes: limits.maxUploadBytes, checkHead, signal }
    const path = input ?? (await saveStandardInput(surroundings.stdin, saving, files))
    const source = { path, kind: kind(), name: input && basename(input), photo }
    const request = await requestOf(rangeOf(options, limits), files)
    const circumstances = {
      now: Date.now(),
      fileTime: input === undefined ? undefined : await about(input, () => files.modificationTime(input)),
      localZone,
    }
    const task = { folder, signal, onProgress: progress.share, circumstances }
    const shown = shownTools(tools, input ?? STANDARD_INPUT, progress)
    const made = await inWordsOfOptions(() => photoOfFile(shown, source, request, limits, task))
    const result = await writePhoto(made, options, files, surroundings)
    return { result, notes: notesOf(options, result, made) }
  })
}

/** The files that a photo is made of; none of them is ever its place. */
export function inputsOf({ input, photo, coverFile }: Options): string[] {
  return [input, photo, coverFile].filter((path) => path !== undefined)
}

async function saveStandardInput(
  stdin: Readable,
  saving: Parameters<UserFiles['saveStandardInput']>[1],
  files: UserFiles,
): Promise<string> {
  await onThisMachine(() => about(STANDARD_INPUT, () => files.saveStandardInput(stdin, saving)))
  return saving.path
}

/** Of a pair the whole video, unless a range is asked for, or a wallpaper. */
function rangeOf(options: Options, { maxClipSeconds }: Pick<MediaLimits, 'maxClipSeconds'>): Options {
  if (!(options.photo ?? options.isWhole) || options.wallpaper || options.end !== undefined) return options
  const end = options.start + Math.min(MAX_VIDEO_SECONDS, maxClipSeconds * options.speed)
  return { ...options, end, mayEndEarlier: true }
}

async function requestOf(options: Options, files: UserFiles): Promise<PhotoRequest> {
  const coverFile = await readPicture(options.coverFile, files, (bytes) =>
    checkPictureHead({ bytes, name: 'It' }),
  )
  return { ...options, coverFile }
}

async function writePhoto(
  made: PhotoOfFile,
  options: Options,
  files: UserFiles,
  { progress, signal }: PhotoSurroundings,
): Promise<Result> {
  const { input, photo, profile, force, keepsFileTime } = options
  const output = trueName(options, made.files)
  // One that the plan does not know must not replace a file that it does.
  const mayOverwrite = force && output === options.output
  const packed = marked(
    packOutput(output, profile, { files: made.files, namedAt: made.origin.namedAt }),
    options.sourceMark,
  )
  const result = describeResult(output, made, sizeOfPackage(packed))
  const { takenAt } = made.origin
  const kept = keepsFileTime ? (photo ?? input) : undefined
  const recordedMs = takenAt && instantHere(takenAt)
  const modifiedMs = kept === undefined ? recordedMs : await files.modificationTime(kept)
  const mode = await files.commonMode(await files.filesOf(inputsOf(options)))
  progress.stage('writing', printable(basename(output)))
  await about(output, () =>
    packed.kind === 'file'
      ? files.writeOutput(output, packed.bytes, { mayOverwrite, signal, modifiedMs, mode })
      : files.writeOutputFolder(output, packed.files, { signal, modifiedMs, mode }),
  )
  return result
}

/** A folder has no place for a mark. */
function marked(made: OutputPackage, mark: SourceMark | undefined): OutputPackage {
  if (!mark || made.kind === 'folder') return made
  return { kind: 'file', bytes: withSourceMark(made.bytes, mark) }
}

/**
 * Whether a photo stays a HEIC is known only when it is read: endings of photos lie. A name that was chosen here ends as its content asks.
 * @throws ServiceError for a name that was given and would lie
 */
function trueName({ output, isNameChosen }: Options, [file]: PhotoOfFile['files']): string {
  const isHeic = HEIC_NAME.test(file?.name ?? '')
  if (!isPhotoName(output) || HEIC_NAME.test(output) === isHeic) return output
  const { dir, name } = parse(output)
  if (isNameChosen) return join(dir, `${name}${isHeic ? '.HEIC' : '.jpg'}`)
  const [is, ending] = isHeic ? ['HEIC', '.heic'] : ['JPEG', '.jpg']
  throw new ServiceError('unprocessable', `The photo is a ${is}: name it with --output, ending in ${ending}.`)
}

/** The tools with their progress shown, and their errors worded for the user of this machine. */
function shownTools(
  { preparePreview, convertClip, openFile }: PhotoTools,
  input: string,
  progress: PhotoProgress,
): PhotoTools {
  return {
    openFile,
    preparePreview: (source, task) => {
      progress.stage('preparing')
      return onThisMachine(() => about(input, () => preparePreview(source, task)))
    },
    convertClip: (materials, settings, task) => {
      progress.stage('converting')
      return onThisMachine(() => convertClip(materials, settings, task))
    },
  }
}

async function readPicture(
  path: string | undefined,
  files: UserFiles,
  checkHead: (head: Uint8Array) => void,
): Promise<Uint8Array | undefined> {
  if (path === undefined) return undefined
  return about(path, async () => {
    await files.readInputHead(path, checkHead)
    const file = await files.openPhoto(path)
    if (file.size <= MAX_PICTURE_BYTES) return file.read(0, file.size)
    throw new ServiceError('payload-too-large', `It is larger than ${MAX_PICTURE_BYTES} bytes.`)
  })
}

/** Unix time in milliseconds; of a local time without its zone, as the clocks of this machine count it. */
function instantHere(time: WallClock): number {
  return time.offsetMinutes === undefined ? instantOf(unixTimeOf(time), localZone) : unixTimeOf(time)
}

/** The clocks of this machine. */
export function localZone(unixMs: number): number {
  return -new Date(unixMs).getTimezoneOffset()
}
