import { randomBytes } from 'node:crypto'
import { lstat, mkdir, opendir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAbsence } from './fileErrors'
import { isGone, thisProcess } from './processOwner'

export type TemporaryNames = {
  /** A path that nobody else uses; its folder exists, itself does not. */
  next(): Promise<string>
  /** Removes what processes have left that run no more, and nothing of any that runs. */
  sweep(): Promise<void>
}

/** Paths `<folder>/<owner>.<random>`: the name alone says whether anybody still needs the file. */
export function temporaryNames(folder: string): TemporaryNames {
  return {
    async next() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return join(folder, `${thisProcess()}.${randomBytes(12).toString('hex')}`)
    },
    async sweep() {
      for await (const name of namesIn(folder)) {
        const path = join(folder, name)
        const changedAt = await lastChange(path)
        if (changedAt !== undefined && isGone(ownerOf(name), Date.now() - changedAt))
          await rm(path, { recursive: true, force: true, maxRetries: 3 })
      }
    },
  }
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

async function lastChange(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).mtimeMs
  } catch (error) {
    // A sibling may be sweeping the same folder.
    if (isAbsence(error)) return undefined
    throw error
  }
}
