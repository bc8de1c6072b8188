import { dirname, join } from 'node:path'
import { ServiceError } from '@lantern-room/base'
import { bytesOfParts, sizeOfParts } from '@lantern-room/mp4/source'
import { type Content, type Folder, hasBytesOf, ResultNames, type Results } from '@lantern-room/takeout/work'
import type { UserFiles } from '../compose'
import { about } from '../failure'

export type Writing = {
  readonly files: UserFiles
  readonly out: string
  /** Whether only what would be written is wanted. */
  readonly isDry: boolean
  readonly signal: AbortSignal
}

/**
 * Writes results into a folder. A file that is there with the same bytes is it already, so that the same command goes on where it was
 * stopped (docs/decisions.md, D198).
 */
export function createResults(writing: Writing): Results {
  const { files, out, isDry, signal } = writing
  const names = new ResultNames()
  /** The folders that this run has made or found: thousands of files go into one. */
  const madeFolders = new Set<string>()
  return {
    async write(folder, name, content) {
      for (const { path, take } of candidates(folder, name)) {
        const there = await files.entryAt(path)
        const isOther = there && !(there.kind === 'file' && (await isSame(path, content, files)))
        if (isOther) continue
        take()
        if (there || isDry || (await isWritten(path, content))) return path
      }
      throw new Error('names have an end')
    },
    async link(folder, target) {
      for (const { path, take } of candidates(folder, target.slice(dirname(target).length + 1))) {
        const there = await files.entryAt(path)
        take()
        if (there?.kind === 'link' || isDry) return
        if (there) continue
        await makeOnce(dirname(path))
        await about(path, () => files.linkOutput(path, target, signal))
        return
      }
    },
  }

  function* candidates(folder: Folder, wanted: string) {
    for (const { name, take } of names.free(folder, wanted)) yield { path: join(out, ...folder, name), take }
  }

  async function makeOnce(folder: string): Promise<void> {
    if (madeFolders.has(folder)) return
    await about(folder, () => files.makeFolder(folder))
    madeFolders.add(folder)
  }

  /** @returns false when another program was faster */
  async function isWritten(path: string, content: Content): Promise<boolean> {
    const { parts, source, original, modifiedMs } = content
    await makeOnce(dirname(path))
    const mode = original === undefined ? undefined : await files.commonMode([original])
    try {
      await about(path, () => files.writeParts(path, parts, source, { original, modifiedMs, mode, signal }))
      return true
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'conflict') return false
      throw error
    }
  }
}

/** Whether a file has these bytes already. */
async function isSame(path: string, { parts, source }: Content, files: UserFiles): Promise<boolean> {
  const there = await files.openKept(path)
  try {
    return await hasBytesOf(there, sizeOfParts(parts), bytesOfParts(parts, source))
  } finally {
    await there.close()
  }
}
