import type { BigIntStats } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import { ifPresent } from '../objectStore/disk/fileErrors'

/** What has a name in a folder. */
export type Entry = {
  /** Tells a file from every other one, whatever it is called: its device and number. Of a link that leads somewhere, that of its end. */
  readonly id: string
  readonly kind: 'file' | 'folder' | 'link' | 'other'
  readonly bytes: number
}

/**
 * What has this name.
 * @returns undefined when nothing has
 * @throws the system's error when its folder cannot be searched
 * @example const isInput = (await entryAt(output))?.id === (await entryAt(input))?.id // one file by two names
 */
export async function entryAt(path: string): Promise<Entry | undefined> {
  const own = await ifPresent(lstat(path, { bigint: true }))
  if (!own) return undefined
  const end = own.isSymbolicLink() ? await stat(path, { bigint: true }).catch(() => own) : own
  return { id: `${end.dev}:${end.ino}`, kind: kindOf(own), bytes: Number(end.size) }
}

function kindOf(stats: BigIntStats): Entry['kind'] {
  if (stats.isSymbolicLink()) return 'link'
  if (stats.isDirectory()) return 'folder'
  return stats.isFile() ? 'file' : 'other'
}
