import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { lstat, opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAbsence } from './fileErrors'
import { makeFolder } from './makeFolder'
import { isGone, thisProcess } from './processOwner'

export type TemporaryNames = {
  /** A path that nobody else uses; its folder exists, itself does not. */
  next(): Promise<string>
  /** Removes what processes have left that run no more, and nothing of any that runs. */
  sweep(): Promise<void>
}

/**
 * Paths `<folder>/<prefix><owner>.<random>`: the name alone says whether anybody still needs the file.
 * @param prefix for a folder that is not ours alone: then only names with it are swept, and only what this user owns
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
        if (!name.startsWith(prefix)) continue
        const path = join(folder, name)
        const stats = await statsOf(path)
        if (stats === undefined || (prefix !== '' && !isOurs(stats))) continue
        // Not the time of its content, because a second name for an old file is young.
        if (isGone(ownerOf(name.slice(prefix.length)), now() - stats.ctimeMs))
          await rm(path, { recursive: true, force: true, maxRetries: 3 })
      }
    },
  }
}

/** Windows gives every user a temporary folder, and files no number of an owner. */
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
    // A sibling may be sweeping the same folder.
    if (isAbsence(error)) return undefined
    throw error
  }
}
