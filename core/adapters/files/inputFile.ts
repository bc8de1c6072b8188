import { open, stat } from 'node:fs/promises'
import { addAbortSignal, type Readable } from 'node:stream'
import { abortReason, ServiceError, systemCode } from '#core/errors'
import { saveUpload } from '../forms/saveUpload'

/** Gets the first 4,096 bytes (fewer if the file is shorter; none of an empty file) and throws to refuse them. */
export type CheckHead = (head: Uint8Array) => void

const HEAD_BYTES = 4096

/**
 * Checks a file that a user names, without changing it.
 * @throws ServiceError `not-found`, `invalid-request`, or what `checkHead` throws
 */
export async function readInputHead(path: string, checkHead: CheckHead): Promise<void> {
  let head: Uint8Array
  try {
    // Checked first: opening a pipe would block until another program writes into it.
    const stats = await stat(path)
    if (!stats.isFile()) throw noFile(stats.isDirectory())
    head = await firstBytes(path)
  } catch (error) {
    throw error instanceof ServiceError ? error : unreadable(error)
  }
  checkHead(head)
}

/**
 * @returns Unix time in milliseconds at which the content of a file was last changed
 * @throws ServiceError `not-found`, `invalid-request`
 */
export async function modificationTime(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => Math.floor(mtimeMs),
    (error) => {
      throw unreadable(error)
    },
  )
}

/**
 * Writes what comes in at the program's standard input to a new file, at the pace of the disk.
 * @throws ServiceError `payload-too-large`, `invalid-request`, `unavailable`, what `checkHead` throws, or the signal's reason
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
  if (signal.aborted) throw abortReason(signal)
  try {
    const size = await saveUpload(addAbortSignal(signal, stdin), { path, maxBytes, checkHead })
    if (size === 0) checkHead(new Uint8Array())
  } catch (error) {
    throw signal.aborted ? abortReason(signal) : error
  } finally {
    // An open standard input would keep the program from ending.
    stdin.destroy()
  }
}

async function firstBytes(path: string): Promise<Uint8Array> {
  const handle = await open(path, 'r')
  try {
    const head = new Uint8Array(HEAD_BYTES)
    let filled = 0
    for (let isMore = true; isMore && filled < HEAD_BYTES; ) {
      const { bytesRead } = await handle.read(head, filled, HEAD_BYTES - filled, filled)
      filled += bytesRead
      isMore = bytesRead > 0
    }
    return head.subarray(0, filled)
  } finally {
    await handle.close()
  }
}

function noFile(isFolder: boolean): ServiceError {
  const detail = isFolder
    ? 'It is a folder. Name a video in it.'
    : 'It is not a plain file. Name a video, or pipe it to the standard input.'
  return new ServiceError('invalid-request', detail)
}

function unreadable(cause: unknown): ServiceError {
  const code = systemCode(cause) ?? ''
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new ServiceError('not-found', 'There is no such file.', { cause })
  }
  const why = code === 'EACCES' || code === 'EPERM' ? 'this user has no right to' : code || 'unknown reason'
  return new ServiceError('invalid-request', `The file cannot be read: ${why}.`, { cause })
}
