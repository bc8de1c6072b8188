import { opendir } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { ServiceError, systemCode } from '@lantern-room/base'
import type { ListMods } from '@lantern-room/game/ports'

/** More than the largest packs have. */
const MAX_MODS = 2000
const MAX_FILES = 20_000

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such folder',
  ENOTDIR: 'That is a file, not a folder',
  ELOOP: 'The links to this folder go round in a circle',
  EACCES: 'This folder may not be read by this user',
}

/**
 * The names of the `.jar` files in a folder. Names only: a link is counted as the file that it names, and never followed.
 * @param folder an absolute path
 * @param field what the folder is called where an error is shown
 * @throws ServiceError `invalid-request` when it cannot be read, or has more than 2,000 mods or 20,000 files
 * @example await listMods('/home/alex/.minecraft/mods', 'modsFolder') // ['sodium-fabric-0.5.8+mc1.20.jar', …]
 */
export const listMods: ListMods = async (folder, field) => {
  if (!isAbsolute(folder)) throw refused(field, 'The path has to start at the root of the disk')
  const names = await modsIn(folder).catch((error: unknown) => {
    throw refused(field, PROBLEMS[systemCode(error) ?? ''] ?? 'This folder cannot be read', error)
  })
  if (names === undefined) throw refused(field, 'This folder has too many files')
  return names
}

/** @returns undefined where there are too many files */
async function modsIn(folder: string): Promise<readonly string[] | undefined> {
  const names: string[] = []
  let files = 0
  for await (const entry of await opendir(folder)) {
    files += 1
    if (/\.jar$/i.test(entry.name) && !entry.isDirectory()) names.push(entry.name)
    if (names.length > MAX_MODS || files > MAX_FILES) return undefined
  }
  return names
}

function refused(field: string, problem: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid-request', `${field}: ${problem}: name the mods folder of your game.`, {
    cause,
  })
}
