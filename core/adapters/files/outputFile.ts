import { access, constants, lstat, mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ServiceError, systemCode } from '#core/errors'
import { writeDurably } from '../objectStore/disk/durableFile'
import { ifPresent, isAbsence } from '../objectStore/disk/fileErrors'
import { temporaryNames } from '../objectStore/disk/temporaryNames'

/** Prefix of an unfinished file's name, by which a later run recognises what it may remove. */
const PREFIX = '.motion-photo.'
/** The permissions of the user's other files: what the umask leaves of these. */
const USUAL_MODE = 0o666

/** `modifiedMs`: Unix time in milliseconds that the file is to show; by default now. */
type Writing = { readonly signal: AbortSignal; readonly modifiedMs?: number | undefined }

/**
 * Whether a file could be written there, asked before any work is done.
 * @param options.input a file that must not be overwritten whatever was allowed
 * @throws ServiceError `conflict` when something is there, `invalid-request` when that can never be overwritten,
 *   `unavailable` when nothing can be written there
 */
export async function checkOutput(
  path: string,
  options: { readonly mayOverwrite: boolean; readonly input: string | undefined },
): Promise<void> {
  try {
    const folder = await stat(dirname(path))
    if (!folder.isDirectory()) throw unavailable('Its folder is not a folder.')
    await access(dirname(path), constants.W_OK | constants.X_OK)
    const there = await statIfAny(path)
    if (there === undefined) return
    if (there.isDirectory()) throw impossible('It is a folder. Name a file.')
    const input = options.input === undefined ? undefined : await statIfAny(options.input)
    if (input && input.dev === there.dev && input.ino === there.ino) {
      throw impossible('It is the input itself, which is never overwritten.')
    }
    if (!options.mayOverwrite) throw taken()
  } catch (error) {
    throw refusal(error)
  }
}

/**
 * Writes a file whole or not at all: under a temporary name beside its own, then renamed.
 * @throws ServiceError `conflict` when something is there and may not be overwritten, `unavailable`, or the signal's reason
 */
export async function writeOutput(
  path: string,
  bytes: Uint8Array,
  options: Writing & { readonly mayOverwrite: boolean },
): Promise<void> {
  await writeBeside(path, options.signal, async (temporary) => {
    await writeFile(temporary, bytes, options)
    if (options.mayOverwrite) await rename(temporary, path)
    else await renameToFree(temporary, path)
  })
}

/**
 * Makes a folder, with those above it, where there is none.
 * @throws ServiceError `invalid-request` when a file has the name, `unavailable`
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
 */
export async function writeOutputFolder(
  path: string,
  files: Iterable<{ readonly name: string; readonly bytes: Uint8Array }>,
  options: Writing,
): Promise<void> {
  await writeBeside(path, options.signal, async (temporary) => {
    await mkdir(temporary)
    for (const { name, bytes } of files) await writeFile(join(temporary, name), bytes, options)
    if (await statIfAny(path)) throw taken()
    await rename(temporary, path)
  })
}

/** @param write writes under the temporary name that it gets, and gives what it wrote its own; on a failure, what is left is removed */
async function writeBeside(
  path: string,
  signal: AbortSignal,
  write: (temporary: string) => Promise<void>,
): Promise<void> {
  const names = temporaryNames(dirname(path), PREFIX)
  let temporary: string | undefined
  try {
    temporary = await names()
    await write(temporary)
  } catch (error) {
    if (temporary !== undefined) await rm(temporary, { recursive: true, force: true })
    throw signal.aborted ? signal.reason : refusal(error)
  }
}

async function writeFile(path: string, bytes: Uint8Array, { signal, modifiedMs }: Writing): Promise<void> {
  await writeDurably(path, bytes, USUAL_MODE)
  if (modifiedMs !== undefined) await utimes(path, modifiedMs / 1000, modifiedMs / 1000)
  signal.throwIfAborted()
}

/**
 * A rename would replace an existing file, so an empty file takes the name first; hard links, which never replace, do
 * not exist on memory cards.
 */
async function renameToFree(from: string, path: string): Promise<void> {
  await (await open(path, 'wx')).close()
  try {
    await rename(from, path)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** A dangling link takes the name as well. */
function statIfAny(path: string) {
  return ifPresent(stat(path).catch(() => lstat(path)))
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'No space is left there.',
  EDQUOT: 'No space is left there for this user.',
  EACCES: 'This user may not write there.',
  EPERM: 'This user may not write there.',
  EROFS: 'Nothing can be written there: it is read-only.',
  ENAMETOOLONG: 'The name is too long.',
}

function refusal(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const code = systemCode(error) ?? ''
  if (code === 'EEXIST' || code === 'ENOTEMPTY') return taken()
  const reason = isAbsence(error) ? 'Its folder does not exist.' : REASONS[code]
  return unavailable(reason ?? `It cannot be written (${code || 'unknown reason'}).`, error)
}

function taken(): ServiceError {
  return new ServiceError('conflict', 'It exists already.')
}

function impossible(detail: string): ServiceError {
  return new ServiceError('invalid-request', detail)
}

function unavailable(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('unavailable', detail, { cause })
}
