import { dirname } from 'node:path'
import { ServiceError } from '@lantern-room/base'
import { equalBytes } from '@lantern-room/base/bytes'
import { type ByteSource, bytesOfParts, type FileParts, sizeOfParts } from '@lantern-room/mp4/source'
import type { UserFiles } from '../compose'
import { about } from '../failure'
import type { createNames } from './placeWork'

export type Writing = {
  readonly files: UserFiles
  readonly names: ReturnType<typeof createNames>
  /** The folders that this run has made or found. */
  readonly madeFolders: Set<string>
  /** Whether only what would be written is wanted. */
  readonly isDry: boolean
  readonly signal: AbortSignal
}

export type Content = {
  readonly parts: FileParts
  readonly source: ByteSource
  /** Path of the source, where it is a file of its own. */
  readonly original: string | undefined
  readonly modifiedMs: number | undefined
}

/**
 * Writes a file under the first of its names that is free. One that is there with the same bytes is it already, so that the same
 * command goes on where it was stopped (docs/decisions.md, D198).
 * @returns its path
 * @throws ServiceError when it cannot be written
 */
export async function writeItem(
  folder: string,
  name: string,
  content: Content,
  writing: Writing,
): Promise<string> {
  const { files, names, isDry } = writing
  for (const { path, take } of names.candidates(folder, name)) {
    const there = await files.entryAt(path)
    const isOther = there && !(there.kind === 'file' && (await isSame(path, content, files)))
    if (isOther) continue
    take()
    if (there || isDry || (await isWritten(path, folder, content, writing))) return path
  }
  throw new Error('names have an end')
}

/** Thousands of files go into one folder. */
async function makeOnce(folder: string, { files, madeFolders }: Writing): Promise<void> {
  if (madeFolders.has(folder)) return
  await about(folder, () => files.makeFolder(folder))
  madeFolders.add(folder)
}

/** @returns false when another program was faster */
async function isWritten(path: string, folder: string, content: Content, writing: Writing): Promise<boolean> {
  const { parts, source, original, modifiedMs } = content
  const { files, signal } = writing
  await makeOnce(folder, writing)
  const mode = original === undefined ? undefined : await files.commonMode([original])
  try {
    await about(path, () => files.writeParts(path, parts, source, { original, modifiedMs, mode, signal }))
    return true
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'conflict') return false
    throw error
  }
}

/** @returns its path, unless something else is there */
export async function linkItem(
  folder: string,
  name: string,
  target: string,
  { files, names, isDry, signal }: Writing,
): Promise<void> {
  for (const { path, take } of names.candidates(folder, name)) {
    const there = await files.entryAt(path)
    take()
    if (there?.kind === 'link' || isDry) return
    if (there) continue
    await about(dirname(path), () => files.makeFolder(folder))
    await about(path, () => files.linkOutput(path, target, signal))
    return
  }
}

/** Whether a file has these bytes already. */
async function isSame(path: string, { parts, source }: Content, files: UserFiles): Promise<boolean> {
  const size = sizeOfParts(parts)
  const there = await files.openKept(path)
  try {
    if (there.size !== size) return false
    let at = 0
    for await (const piece of bytesOfParts(parts, source)) {
      if (!equalBytes(piece, await there.read(at, at + piece.length))) return false
      at += piece.length
    }
    return true
  } finally {
    await there.close()
  }
}
