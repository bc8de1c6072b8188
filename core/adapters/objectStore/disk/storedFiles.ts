import { opendir, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ObjectHead } from '#core/media/ports'
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
      if (entry.isDirectory()) yield* objectsIn(path, entryParts, prefix)
      else {
        const head = await headOf(path)
        if (head !== undefined) yield { key, ...head }
      }
    }
  } catch (error) {
    // Deleted meanwhile.
    if (!isAbsence(error)) throw error
  }
}

/** Removes a file if it exists, and then every empty folder up to `root`. */
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
      // Not empty, or another process has removed it and continues with its parent.
      return
    }
}
