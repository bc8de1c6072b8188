import { createReadStream, createWriteStream } from 'node:fs'
import { constants, copyFile, type FileHandle, open, rm, symlink, utimes } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createInflateRaw } from 'node:zlib'
import { ServiceError, systemCode } from '@lantern-room/base'
import type { ByteSource, FileParts } from '@lantern-room/mp4/source'
import { rangedSource } from '@lantern-room/mp4/source'
import { onDisk } from '../objectStore/disk/fileErrors'
import { openFile, readRange } from '../objectStore/disk/fileRange'
import { linkToFree, refusal, type Writing, writeBeside } from './outputFile'

/** A file that stays open until it is closed: thousands of ranges are read of an archive. */
export type OpenSource = ByteSource & { close(): Promise<void> }

/**
 * Opens a file for many reads.
 * @throws ServiceError `not-found`, `unavailable`
 * @example
 * const zip = await openKept('takeout-001.zip')
 */
export async function openKept(path: string): Promise<OpenSource> {
  const file = await onDisk(() => openFile(path))
  if (!file) throw new ServiceError('not-found', 'There is no such file.')
  const source = rangedSource(file.size, (start, end) => onDisk(() => readRange(file, start, end - start)))
  return { size: source.size, read: source.read, close: () => file.handle.close() }
}

/** Bytes that are copied at once. */
const CHUNK_BYTES = 1024 * 1024

/**
 * Writes a file of parts of another one, whole or not at all, at the pace of the disk. It never replaces anything. That its bytes are on
 * the disk is left to the system: a copy can be made again.
 * @param options.original path of the source, where it is a file of its own: then a copy of the whole is left to the system, too
 * @throws ServiceError `conflict` when something is there, as `writeOutput`, what the source throws, or the signal's reason
 * @example await writeParts('out/IMG_1.jpg', [header, { start: 2000, end: source.size }], source, { signal, modifiedMs: takenAt })
 */
export async function writeParts(
  path: string,
  parts: FileParts,
  source: ByteSource,
  options: Writing & { readonly original?: string | undefined },
): Promise<void> {
  const { signal, modifiedMs, original, mode = 0o666 } = options
  await writeBeside(path, signal, async (temporary) => {
    const [only, second] = parts
    const isWhole = only && 'end' in only && !second && only.start === 0 && only.end === source.size
    if (isWhole && original !== undefined) await copyWhole(original, temporary)
    else await writeAll(temporary, parts, source, mode, signal)
    if (modifiedMs !== undefined) await utimes(temporary, modifiedMs / 1000, modifiedMs / 1000)
    signal.throwIfAborted()
    await linkToFree(temporary, path)
  })
}

async function copyWhole(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
}

async function writeAll(
  path: string,
  parts: FileParts,
  source: ByteSource,
  mode: number,
  signal: AbortSignal,
): Promise<void> {
  const handle = await open(path, 'wx', mode)
  try {
    for (const part of parts) {
      if (part instanceof Uint8Array) await write(handle, part)
      else await copyRange(handle, part, source, signal)
    }
  } finally {
    await handle.close()
  }
}

async function copyRange(
  handle: FileHandle,
  { start, end }: { readonly start: number; readonly end: number },
  source: ByteSource,
  signal: AbortSignal,
): Promise<void> {
  for (let at = start; at < end; at += CHUNK_BYTES) {
    signal.throwIfAborted()
    await write(handle, await source.read(at, Math.min(end, at + CHUNK_BYTES)))
  }
}

async function write(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) written += (await handle.write(bytes, written)).bytesWritten
}

/**
 * Unpacks a file of gzip into one of its own, which must not be there.
 * @throws ServiceError `unprocessable` when it is cut or damaged, `unavailable`, or the signal's reason
 * @example await unpackGzip('takeout-001.tgz', join(folder, 'takeout-001.tar'), signal)
 */
export async function unpackGzip(from: string, to: string, signal: AbortSignal): Promise<void> {
  const target = createWriteStream(to, { flags: 'wx', mode: 0o600 })
  try {
    await pipeline(createReadStream(from), createGunzip(), target, { signal })
  } catch (error) {
    signal.throwIfAborted()
    throw systemCode(error)?.startsWith('Z_') ? damaged(error) : refusal(error)
  }
}

/**
 * Unpacks deflated bytes into a file of its own, which must not be there: a film of an archive has no room in memory.
 * @param maxBytes what is longer is refused
 * @throws ServiceError `unprocessable` when they are damaged or longer, `unavailable`, or the signal's reason
 * @example await unpackDeflated(packed, join(folder, 'film'), record.unpackedSize, signal)
 */
export async function unpackDeflated(
  packed: ByteSource,
  to: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<void> {
  const target = createWriteStream(to, { flags: 'wx', mode: 0o600 })
  try {
    await pipeline(piecesOf(packed), createInflateRaw(), withinBytes(maxBytes), target, { signal })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ServiceError) throw error
    throw systemCode(error)?.startsWith('Z_') ? damaged(error) : refusal(error)
  }
}

async function* piecesOf(source: ByteSource): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < source.size; at += CHUNK_BYTES)
    yield await source.read(at, Math.min(source.size, at + CHUNK_BYTES))
}

function withinBytes(maxBytes: number) {
  return async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0
    for await (const piece of pieces) {
      bytes += piece.length
      if (bytes > maxBytes) throw damaged(undefined)
      yield piece
    }
  }
}

function damaged(cause: unknown): ServiceError {
  const detail = 'It is cut or damaged: it cannot be unpacked. Download it again.'
  return new ServiceError('unprocessable', detail, { cause })
}

/**
 * Removes a file that was unpacked. Never rejects: the folder that it is in is removed, too.
 * @example await removeUnpacked(join(folder, 'film'))
 */
export async function removeUnpacked(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined)
}

/**
 * Makes a link to another output, relative to its own folder, so that both can be moved together. It never replaces anything.
 * @throws ServiceError as `writeParts`
 * @example await linkOutput('out/Sea/IMG_1.jpg', 'out/2020/IMG_1.jpg')
 */
export async function linkOutput(path: string, target: string, signal: AbortSignal): Promise<void> {
  await writeBeside(path, signal, async () => {
    await symlink(relative(dirname(path), target), path)
  })
}
