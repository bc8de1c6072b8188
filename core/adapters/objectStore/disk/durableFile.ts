import { constants, copyFile, link, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemCode } from '@lantern-room/base'
import { isAbsence } from './fileErrors'

/** Writes a new file, by default readable only by its owner. The data is on the disk when this resolves. */
export async function writeDurably(path: string, bytes: Uint8Array, mode = 0o600): Promise<void> {
  await writeFile(path, bytes, { flag: 'wx', mode, flush: true })
}

/** Copies without moving bytes where the file system can share them. */
export async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
  await syncFile(to)
}

/**
 * Gives a file a second name. Objects are replaced and deleted, never changed, so that the content under the other
 * name stays the same.
 * @param copy for file systems without links
 * @returns false when there is no such file
 */
export async function secondName(
  source: string,
  path: string,
  copy: (from: string, to: string) => Promise<void>,
): Promise<boolean> {
  try {
    await link(source, path).catch((error: unknown) => {
      if (isAbsence(error)) throw error
      return copy(source, path)
    })
    return true
  } catch (error) {
    await rm(path, { force: true })
    if (isAbsence(error)) return false
    throw error
  }
}

export async function syncFile(path: string): Promise<void> {
  // Windows flushes only files that are open for writing.
  await flush(path, 'r+')
}

async function flush(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Gives a finished file its name: `move` renames or links it to `target`, whose folders are made before. The new name
 * is on the disk when this resolves.
 * @param root folder that is neither created nor flushed above
 */
export async function place<T>(target: string, root: string, move: () => Promise<T>): Promise<T> {
  const moved = await moveInto(target, move)
  for (let folder = dirname(target); folder.length >= root.length; folder = dirname(folder))
    await syncFolder(folder)
  return moved
}

async function moveInto<T>(target: string, move: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      await makeFolder(dirname(target))
      return await move()
    } catch (error) {
      // A process that deletes the last object also removes its empty folder, perhaps between our two steps.
      if (systemCode(error) !== 'ENOENT' || attempt === 100) throw error
    }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open a folder, and does not need to.
  if (process.platform === 'win32') return
  try {
    await flush(path, 'r')
  } catch (error) {
    // The folder was removed meanwhile, or the file system cannot flush a folder.
    if (!isAbsence(error) && !['EINVAL', 'ENOTSUP'].includes(systemCode(error) ?? '')) throw error
  }
}

/**
 * Makes a folder and its missing parents. Node's own recursion never ends where a file system denies a folder that
 * exists, as /proc does.
 */
export async function makeFolder(path: string): Promise<void> {
  if (await made(path)) return
  const parent = dirname(path)
  if (parent !== path) await makeFolder(parent)
  if (!(await made(path))) throw Object.assign(new Error(`${path} cannot be made`), { code: 'ENOENT' })
}

/** @returns false when the folder above is missing */
async function made(path: string): Promise<boolean> {
  try {
    await mkdir(path, { mode: 0o700 })
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return true
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}
