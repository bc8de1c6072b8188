import { access, constants, link, lstat, mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ServiceError, systemCode } from '@lantern-room/base'
import { writeDurably } from '../objectStore/disk/durableFile'
import { ifPresent, isAbsence } from '../objectStore/disk/fileErrors'
import { type TemporaryNames, temporaryNames } from '../objectStore/disk/temporaryNames'
import { type Entry, entryAt } from './entries'

/** Prefix of an unfinished file's name, by which a later run recognises what it may remove. */
const PREFIX = '.motion-photo.'
/** The permissions of the user's other files: what the umask leaves of these. */
const USUAL_MODE = 0o666

export type Writing = {
  readonly signal: AbortSignal
  /** Unix time in milliseconds that the file is to show. @default now */
  readonly modifiedMs?: number | undefined
  /** Its permissions, of which the umask takes its part. @default 0o666, as any new file has */
  readonly mode?: number | undefined
}

/**
 * Refuses a place where no file could be written, before any work is done. An empty file counts as none: that is what a killed
 * program leaves of a name that it has taken (docs/decisions.md, D175).
 * @param options.inputs files that must not be overwritten whatever was allowed, under whatever name
 * @throws ServiceError `conflict` when something is there, `invalid-request` when that can never be overwritten,
 *   `unavailable` when nothing can be written there
 * @example await checkOutput('holiday.jpg', { mayOverwrite: false, inputs: ['holiday.mp4'] })
 */
export async function checkOutput(
  path: string,
  options: { readonly mayOverwrite: boolean; readonly inputs: readonly string[] },
): Promise<void> {
  try {
    const folder = await stat(dirname(path))
    if (!folder.isDirectory()) throw unavailable('Its folder is not a folder.')
    await access(dirname(path), constants.W_OK | constants.X_OK)
    const there = await entryAt(path)
    if (there === undefined) return
    if (there.kind === 'folder') throw impossible('It is a folder. Name a file.')
    for (const input of options.inputs) {
      if ((await entryAt(input))?.id === there.id) throw isInput(input === path ? undefined : input)
    }
    if (there.kind === 'file' && there.bytes === 0) return
    checkReplaceable(there, options.mayOverwrite)
  } catch (error) {
    throw refusal(error)
  }
}

/**
 * Refuses a folder that can neither be written nor be made.
 * @throws ServiceError `invalid-request` when a file has the name, `unavailable`
 * @example await checkFolder('photos/2026') // passes where only `photos` is there
 */
export async function checkFolder(path: string): Promise<void> {
  try {
    const found = await stat(path)
    if (!found.isDirectory()) throw new ServiceError('invalid-request', 'It is a file. Name a folder.')
    await access(path, constants.W_OK | constants.X_OK)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const code = systemCode(error)
    if (code === 'ENOENT' && dirname(path) !== path) return checkFolder(dirname(path))
    if (code === 'ENOTDIR') throw new ServiceError('invalid-request', 'It is a file. Name a folder.')
    throw new ServiceError('unavailable', 'This user may not write there.', { cause: error })
  }
}

/** Why an input is refused as the place of an output. @param input its path, where the output has another one */
function isInput(input: string | undefined): ServiceError {
  return impossible(`It is the input ${input ?? 'itself'}, which is never overwritten.`)
}

/** A device that is replaced by a photo is lost to every program, and so is what a link stands for. */
function checkReplaceable({ kind }: Entry, mayOverwrite: boolean): void {
  if (kind === 'other') throw impossible('It is no plain file, and only those are ever replaced.')
  if (!mayOverwrite) throw taken()
  if (kind === 'link') throw impossible('It is a link, and only plain files are ever replaced.')
}

/**
 * Writes a file whole or not at all: under a temporary name beside its own, which then gets a second one by a link. A link never
 * replaces anything.
 * @param options.signal is asked after the bytes are written: the file does not get its name then
 * @throws ServiceError `conflict` when something is there and may not be overwritten, `invalid-request` when that can never be,
 *   `unavailable`, or the signal's reason
 * @example await writeOutput('holiday.jpg', bytes, { mayOverwrite: false, signal, modifiedMs: takenAt })
 */
export async function writeOutput(
  path: string,
  bytes: Uint8Array,
  options: Writing & { readonly mayOverwrite: boolean },
): Promise<void> {
  await writeBeside(path, options.signal, async (temporary) => {
    await writeFile(temporary, bytes, options)
    if (options.mayOverwrite) await replace(temporary, path)
    else await linkToFree(temporary, path)
  })
}

async function replace(temporary: string, path: string): Promise<void> {
  const there = await entryAt(path)
  if (there) checkReplaceable(there, true)
  await rename(temporary, path)
}

export async function linkToFree(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ENOSPC', 'EDQUOT'].includes(systemCode(error) ?? '')) throw error
    // Memory cards have no links; what else is wrong is found again.
    return renameToFree(temporary, path)
  }
  await rm(temporary, { force: true })
}

/** A rename would replace an existing file, so an empty one takes the name first; one that is there already is left over. */
async function renameToFree(from: string, path: string): Promise<void> {
  const isTaken = await open(path, 'wx').then(
    (placeholder) => placeholder.close().then(() => false),
    (error: unknown) => {
      if (systemCode(error) === 'EEXIST') return true
      throw error
    },
  )
  const there = isTaken ? await entryAt(path) : undefined
  if (isTaken && !(there?.kind === 'file' && there.bytes === 0)) throw taken()
  try {
    await rename(from, path)
  } catch (error) {
    if (!isTaken) await rm(path, { force: true })
    throw error
  }
}

/**
 * Removes what killed programs have left unfinished in a folder, where there is one. What cannot be removed stays. Never rejects.
 * @example await sweepUnfinished('photos') // once, before a run writes there
 */
export async function sweepUnfinished(folder: string): Promise<void> {
  const there = await entryAt(folder).catch(() => undefined)
  if (there?.kind === 'folder') await namesIn(folder)().catch(() => undefined)
}

/**
 * Makes a folder, with those above it, where there is none.
 * @throws ServiceError `invalid-request` when a file has the name, `unavailable`
 * @example await makeOutputFolder('photos/2026')
 */
export async function makeOutputFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true })
  } catch (error) {
    if (['EEXIST', 'ENOTDIR'].includes(systemCode(error) ?? ''))
      throw impossible('It is a file. Name a folder.')
    throw refusal(error)
  }
}

/**
 * Writes a folder with these files, one after the other, whole or not at all. It never takes the place of another one.
 * @throws ServiceError `conflict` when something is there, `unavailable`, or the signal's reason
 * @example await writeOutputFolder('IMG_0001.pvt', [{ name: 'IMG_0001.HEIC', bytes }], { signal })
 */
export async function writeOutputFolder(
  path: string,
  files: Iterable<{ readonly name: string; readonly bytes: Uint8Array }>,
  options: Writing,
): Promise<void> {
  await writeBeside(path, options.signal, async (temporary) => {
    const { mode = USUAL_MODE } = options
    // Who may read the files may look into their folder.
    await mkdir(temporary, { mode: 0o700 | mode | ((mode & 0o444) >> 2) })
    for (const { name, bytes } of files) await writeFile(join(temporary, name), bytes, options)
    if (await ifPresent(lstat(path))) throw taken()
    await rename(temporary, path)
  })
}

/** @param write writes under the temporary name that it gets, and gives what it wrote its own; on a failure, what is left is removed */
export async function writeBeside(
  path: string,
  signal: AbortSignal,
  write: (temporary: string) => Promise<void>,
): Promise<void> {
  let temporary: string | undefined
  try {
    temporary = await namesIn(dirname(path))()
    await write(temporary)
  } catch (error) {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true })
    throw signal.aborted ? signal.reason : refusal(error)
  }
}

/** By folder: one that gets thousands of files is swept once. */
const knownNames = new Map<string, TemporaryNames>()

function namesIn(folder: string): TemporaryNames {
  const names = knownNames.get(folder) ?? temporaryNames(folder, PREFIX)
  knownNames.set(folder, names)
  return names
}

async function writeFile(path: string, bytes: Uint8Array, options: Writing): Promise<void> {
  const { signal, modifiedMs, mode = USUAL_MODE } = options
  await writeDurably(path, bytes, mode)
  if (modifiedMs !== undefined) await utimes(path, modifiedMs / 1000, modifiedMs / 1000)
  signal.throwIfAborted()
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'No space is left there.',
  EDQUOT: 'No space is left there for this user.',
  EACCES: 'This user may not write there.',
  EPERM: 'This user may not write there.',
  EROFS: 'Nothing can be written there: it is read-only.',
}

/** What is wrong with this name alone, so that it costs no other file of the run. */
const NAME_REASONS: Readonly<Record<string, string>> = {
  ENAMETOOLONG: 'The name is too long.',
  EINVAL: 'This name is not possible there.',
  EILSEQ: 'This name is not possible there.',
}

export function refusal(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const code = systemCode(error) ?? ''
  if (code === 'EEXIST' || code === 'ENOTEMPTY') return taken()
  const nameReason = NAME_REASONS[code]
  if (nameReason !== undefined) return impossible(nameReason, error)
  const reason = isAbsence(error) ? 'Its folder does not exist.' : REASONS[code]
  return unavailable(reason ?? `It cannot be written (${code || 'unknown reason'}).`, error)
}

function taken(): ServiceError {
  return new ServiceError('conflict', 'It exists already.')
}

function impossible(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid-request', detail, { cause })
}

function unavailable(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('unavailable', detail, { cause })
}
