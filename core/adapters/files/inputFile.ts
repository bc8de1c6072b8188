import { createReadStream } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ServiceError, systemCode } from '@lantern-room/base'
import type { ByteSource } from '@lantern-room/mp4/source'
import { rangedSource } from '@lantern-room/mp4/source'
import { saveUpload } from '../forms/saveUpload'
import { ifPresent, onDisk } from '../objectStore/disk/fileErrors'
import { type OpenFile, readRange, withFile } from '../objectStore/disk/fileRange'

/** Gets the first 4,096 bytes (fewer if the file is shorter; none of an empty file) and throws to refuse them. */
export type CheckHead = (head: Uint8Array) => void

const HEAD_BYTES = 4096

/**
 * Checks a file that a user names by its first bytes, without changing it.
 * @throws ServiceError `not-found`, `invalid-request` (a folder, a device, a file that this user may not read), or what `checkHead` throws
 * @example await readInputHead('holiday.mp4', (head) => refuseUnlessVideo(head))
 */
export async function readInputHead(path: string, checkHead: CheckHead): Promise<void> {
  let head: Uint8Array
  try {
    // Checked first: opening a pipe would block until another program writes into it.
    const stats = await stat(path)
    if (stats.isDirectory()) throw new ServiceError('invalid-request', FOLDER)
    if (!stats.isFile()) throw new ServiceError('invalid-request', NO_FILE)
    head = new Uint8Array(await buffer(createReadStream(path, { end: HEAD_BYTES - 1 })))
  } catch (error) {
    throw error instanceof ServiceError ? error : unreadable(error)
  }
  checkHead(head)
}

/**
 * A file of this machine whose bytes are read by range. It is opened for each read, so that nothing needs to be closed.
 * @returns a source of as many bytes as the file has now
 * @throws ServiceError `not-found` when there is no such file, `unavailable` when it cannot be read
 * @example
 * const photo = await openFileSource('IMG_0001.jpg')
 * const inspection = await readFrom(inspectFile(photo), photo)
 */
export async function openFileSource(path: string): Promise<ByteSource> {
  const size = await reading(path, async (file) => file.size)
  return rangedSource(size, (start, end) => reading(path, (file) => readRange(file, start, end - start)))
}

async function reading<T>(path: string, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const result = await onDisk(() => withFile(path, use))
  if (result === undefined) throw new ServiceError('not-found', 'There is no such file any more.')
  return result
}

/** Whether there is a file, or a link to one. */
function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

/**
 * When the content of a file was last changed.
 * @returns Unix time in milliseconds
 * @throws ServiceError `not-found`, `invalid-request`
 * @example const modifiedMs = await modificationTime('holiday.mp4')
 */
export async function modificationTime(path: string): Promise<number> {
  try {
    return Math.floor((await stat(path)).mtimeMs)
  } catch (error) {
    throw unreadable(error)
  }
}

/**
 * The permissions that all of these files have, so that what is made of them is no more open than any of them. A file that is not
 * there counts as any new one.
 * @returns a mode of at most 0o666; always that on Windows, which knows only whether a file may be written
 * @throws the system's error when a folder cannot be searched
 * @example await writeOutput(path, bytes, { mayOverwrite: false, signal, mode: await commonMode(['holiday.mp4']) })
 */
export async function commonMode(paths: readonly string[]): Promise<number> {
  // Windows knows only whether a file may be written.
  const isKept = process.platform !== 'win32'
  let mode = 0o666
  for (const path of isKept ? paths : []) mode &= (await ifPresent(stat(path)))?.mode ?? 0o666
  return mode
}

/**
 * The path of a file with every link of its folders followed; as it is where its folder cannot be read. Never rejects.
 * @example const isSame = (await realPlace(one)) === (await realPlace(other)) // two names of one place
 */
export async function realPlace(path: string): Promise<string> {
  const folder = await realpath(dirname(path)).catch(() => dirname(path))
  return join(folder, basename(path))
}

/**
 * Writes what comes in at the program's standard input to a new file, at the pace of the disk. The input is closed afterwards.
 * @param options.path of the file, which must not be there
 * @param options.maxBytes of the input
 * @param options.checkHead gets its first 4,096 bytes, as in `readInputHead`
 * @throws ServiceError `payload-too-large`, `invalid-request`, `unavailable`, what `checkHead` throws, or the signal's reason
 * @example await saveStandardInput(process.stdin, { path: folder.path('input'), maxBytes: 500 * 2 ** 20, checkHead, signal })
 */
export async function saveStandardInput(
  stdin: Readable,
  options: {
    readonly path: string
    readonly maxBytes: number
    readonly checkHead: CheckHead
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { path, maxBytes, checkHead, signal } = options
  signal.throwIfAborted()
  try {
    const size = await saveUpload(addAbortSignal(signal, stdin), { path, maxBytes, checkHead })
    if (size === 0) checkHead(new Uint8Array())
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    // An open standard input would keep the program from ending.
    stdin.destroy()
  }
}

const FOLDER = 'It is a folder. Name a file in it, or say with --out where photos of all go.'
const NO_FILE = 'It is not a plain file. Name a video, or pipe it to the standard input.'

function unreadable(cause: unknown): ServiceError {
  const code = systemCode(cause) ?? ''
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ServiceError('not-found', 'There is no such file.', { cause })
  }
  const why = code === 'EACCES' || code === 'EPERM' ? 'this user has no right to' : code || 'unknown reason'
  return new ServiceError('invalid-request', `The file cannot be read: ${why}.`, { cause })
}

/**
 * The names of files and folders in a folder, in order; `others`: links to folders or to nothing, devices, and names that are no UTF-8.
 * @returns undefined when there is no such folder
 * @throws ServiceError `invalid-request` when it cannot be read
 * @example const { files, folders, others } = (await listNames('DCIM')) ?? { files: [], folders: [], others: [] }
 */
export async function listNames(folder: string) {
  const entries = await ifPresent(readdir(folder, { withFileTypes: true })).catch((error: unknown) => {
    throw unreadable(error)
  })
  if (!entries) return undefined
  const files: string[] = []
  const folders: string[] = []
  const others: string[] = []
  for (const entry of entries) {
    const { name } = entry
    if (entry.isDirectory() && isReadable(name)) folders.push(name)
    else if ((entry.isFile() && isReadable(name)) || (await isFile(join(folder, name)))) files.push(name)
    else others.push(name)
  }
  return { files: files.sort(), folders: folders.sort(), others }
}

/** A name that is no UTF-8 is read with replacement characters, and there is no such file. */
function isReadable(name: string): boolean {
  return !name.includes('\ufffd')
}
