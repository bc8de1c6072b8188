import { opendir, rmdir, stat, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { ListedObject, ObjectHead } from '@lantern-room/media/ports'
import { ifPresent, isAbsence } from './fileErrors'
import { isKeyPart } from './objectKey'

/** @returns undefined when no file has that path */
export async function headOf(path: string): Promise<ObjectHead | undefined> {
  const stats = await ifPresent(stat(path))
  return stats?.isFile() ? { size: stats.size, modifiedAt: stats.mtime } : undefined
}

/** Which keys are wanted: those that begin with `prefix` and come behind `after`. */
type Wanted = { readonly prefix: string; readonly after: string }

/**
 * Every wanted object in `folder`, in the order of keys. Only the names of one folder at a time are in memory.
 * @param parts of the folder's own key
 */
export async function* objectsIn(
  folder: string,
  parts: readonly string[],
  wanted: Wanted,
): AsyncGenerator<ListedObject> {
  try {
    for (const key of await keysOf(folder, parts, wanted)) {
      const name = basename(key)
      const path = join(folder, name)
      const head = key.endsWith('/') ? undefined : await headOf(path)
      if (head) yield { key, ...head }
      else yield* objectsIn(path, [...parts, name], wanted)
    }
  } catch (error) {
    // The folder was deleted during the walk.
    if (!isAbsence(error)) throw error
  }
}

/** The wanted keys in a folder in their order; those of folders end with a slash, by which they are sorted, too. */
async function keysOf(
  folder: string,
  parts: readonly string[],
  { prefix, after }: Wanted,
): Promise<string[]> {
  const keys: string[] = []
  for await (const entry of await opendir(folder, { bufferSize: 128 })) {
    const isFolder = entry.isDirectory()
    const key = [...parts, isFolder ? `${entry.name}/` : entry.name].join('/')
    const isBehind = key > after || (isFolder && after.startsWith(key))
    if (isKeyPart(entry.name) && isBehind && key.startsWith(prefix)) keys.push(key)
  }
  return keys.sort()
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
