import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { lstat, opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isGone, thisProcess } from '../../process/processOwner'
import { isAbsence } from './fileErrors'
import { makeFolder } from './makeFolder'

export type TemporaryNames = {
  /** A path that is used by no other caller. Its folder exists; the file itself does not. */
  next(): Promise<string>
  /** Removes the files of processes that have ended, and none of a running process. */
  sweep(): Promise<void>
}

/**
 * Paths `<folder>/<prefix><owner>.<random>`: the name alone tells whether the file is still in use.
 * @param prefix for a folder shared with other programs: only names with it are swept, and only files of this user
 * @param now in milliseconds
 */
export function temporaryNames(folder: string, prefix = '', now: () => number = Date.now): TemporaryNames {
  return {
    async next() {
      await makeFolder(folder)
      return join(folder, `${prefix}${thisProcess()}.${randomBytes(12).toString('hex')}`)
    },
    async sweep() {
      for await (const name of namesIn(folder)) {
        if (!name.startsWith(prefix) || !(await isAbandoned(name))) continue
        await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 })
      }
    },
  }

  async function isAbandoned(name: string): Promise<boolean> {
    const stats = await statsOf(join(folder, name))
    if (stats === undefined || (prefix !== '' && !isOurs(stats))) return false
    // The time of the name (ctime) and not of the content: a second name for an old file is young.
    return isGone(ownerOf(name.slice(prefix.length)), now() - stats.ctimeMs)
  }
}

/** On Windows every user has a temporary folder of their own, and files have no numeric owner. */
function isOurs({ uid }: Stats): boolean {
  return process.getuid === undefined || process.getuid() === uid
}

function ownerOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf('.')))
}

async function* namesIn(folder: string): AsyncGenerator<string> {
  try {
    for await (const entry of await opendir(folder)) yield entry.name
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
}

async function statsOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    // Another process may be sweeping the same folder.
    if (isAbsence(error)) return undefined
    throw error
  }
}
