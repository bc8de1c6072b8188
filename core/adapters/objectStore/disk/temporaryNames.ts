import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { lstat, opendir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isGone, thisProcess } from '../../process/processOwner'
import { makeFolder } from './durableFile'
import { ifPresent, isAbsence } from './fileErrors'

/** @returns a path that is used by no other caller. Its folder exists; the file itself does not */
export type TemporaryNames = () => Promise<string>

/**
 * Paths `<folder>/<prefix><owner>.<random>`: the name alone tells whether the file is still in use. First the files of processes that
 * have ended are removed, and none of a running process.
 * @param prefix for a folder shared with other programs: only names with it are removed, and only files of this user
 * @param now in milliseconds; by default the time of the file system, which machines share, however wrong their clocks are
 */
export function temporaryNames(folder: string, prefix = '', now?: () => number): TemporaryNames {
  const clock = now ?? (() => fileSystemTime(newName()))
  // A folder in which nothing can be removed cannot be written either: its first user reports it.
  const swept = sweep().catch(() => undefined)
  return async () => {
    await swept
    await makeFolder(folder)
    return newName()
  }

  async function sweep(): Promise<void> {
    let nowMs: number | undefined
    for await (const name of namesIn(folder)) {
      const stats = await statsOfOurs(name)
      if (!stats) continue
      nowMs ??= await clock()
      // The time of the name (ctime) and not of the content: a second name for an old file is young.
      const owner = name.slice(prefix.length, Math.max(prefix.length, name.indexOf('.', prefix.length)))
      if (!isGone(owner, nowMs - stats.ctimeMs)) continue
      await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 })
    }
  }

  /** @returns undefined for what other programs have there */
  async function statsOfOurs(name: string): Promise<Stats | undefined> {
    // Another process may be sweeping the same folder.
    const stats = name.startsWith(prefix) ? await ifPresent(lstat(join(folder, name))) : undefined
    // On Windows every user has a temporary folder of their own, and files have no numeric owner.
    const isOurs = prefix === '' || process.getuid === undefined || process.getuid() === stats?.uid
    return isOurs ? stats : undefined
  }

  function newName(): string {
    return join(folder, `${prefix}${thisProcess()}.${randomBytes(12).toString('hex')}`)
  }
}

/** @param path of a file that is made for it */
async function fileSystemTime(path: string): Promise<number> {
  await writeFile(path, '', { flag: 'wx', mode: 0o600 })
  try {
    return (await lstat(path)).ctimeMs
  } finally {
    await rm(path, { force: true })
  }
}

async function* namesIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) yield entry.name
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
}
