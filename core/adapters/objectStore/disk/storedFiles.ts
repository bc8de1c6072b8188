import { opendir, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ObjectHead } from '#core/media/objectStore/ports'
import { isAbsence } from './fileErrors'
import { isKeyPart } from './objectKey'

/** @returns undefined when no file has that path */
export async function headOf(path: string): Promise<ObjectHead | undefined> {
  try {
    const stats = await stat(path)
    return stats.isFile() ? { size: stats.size, modifiedAt: stats.mtime } : undefined
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

/**
 * Every object in `folder` whose key begins with `prefix`, one at a time and never all in memory.
 * @param parts of the folder's own key
 */
export async function* objectsIn(
  folder: string,
  parts: readonly string[],
  prefix: string,
): AsyncGenerator<ObjectHead & { readonly key: string }> {
  try {
    for await (const entry of await opendir(folder, { bufferSize: 128 })) {
      const entryParts = [...parts, entry.name]
      const key = entryParts.join('/')
      if (!isKeyPart(entry.name) || !key.startsWith(prefix)) continue
      const path = join(folder, entry.name)
      yield* entry.isDirectory() ? objectsIn(path, entryParts, prefix) : objectAt(path, key)
    }
  } catch (error) {
    // The folder was deleted during the walk.
    if (!isAbsence(error)) throw error
  }
}

async function* objectAt(
  path: string,
  key: string,
): AsyncGenerator<ObjectHead & { readonly key: string }, void> {
  const head = await headOf(path)
  if (head !== undefined) yield { key, ...head }
}

/** Removes a file if there is one, and every folder up to `root` that is empty then. */
export async function removeStored(path: string, root: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    // A folder is not an object; some systems answer EPERM when asked to unlink one.
    if (!isAbsence(error) && (await headOf(path)) !== undefined) throw error
  }
  for (let folder = dirname(path); folder.length > root.length; folder = dirname(folder))
    try {
      await rmdir(folder)
    } catch {
      // Not empty, or another call has removed it and goes on with its parent.
      return
    }
}
