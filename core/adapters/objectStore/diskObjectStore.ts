import { copyFile, link, rename, rm, unlink, utimes } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { systemCode } from '#core/errors'
import type { LocalFile, ObjectStore } from '#core/media/objectStore/ports'
import { copyDurably, place, syncFile, writeDurably } from './disk/durableFile'
import { isAbsence, onDisk, storageError } from './disk/fileErrors'
import { checkRange, openFile, readRange, streamRange } from './disk/fileRange'
import { keyParts, prefixFolder } from './disk/objectKey'
import { headOf, objectsIn, removeStored } from './disk/storedFiles'
import { temporaryNames } from './disk/temporaryNames'

export type DiskObjectStore = ObjectStore & {
  /** Removes half-written files of killed processes; safe while other processes run. */
  sweepTemporary(): Promise<void>
}

/**
 * Keeps objects as files, `<folder>/<key>`. Several processes may share the folder.
 *
 * A file is written under a temporary name in the same file system, flushed, and only then gets its own name, so
 * that no reader ever sees a part of it and no power cut leaves one. Because keys become paths, one key cannot be
 * a folder of another (`a` and `a/b`), and keys that differ only in case are one where the file system says so.
 */
export function createDiskObjectStore(options: { readonly folder: string }): DiskObjectStore {
  const root = resolve(options.folder)
  // No key can have this name, because `@` is not allowed in keys.
  const temporary = temporaryNames(join(root, '@tmp'))
  const pathOf = (key: string) => join(root, ...keyParts(key))

  /** Gives `use` a temporary name; no file is left under it afterwards. */
  async function withTemporary<T>(use: (path: string) => Promise<T>): Promise<T> {
    const path = await temporary.next()
    try {
      return await use(path)
    } finally {
      await rm(path, { force: true })
    }
  }

  const copyInto = (target: string, source: string) =>
    withTemporary(async (path) => {
      await copyDurably(source, path)
      await place(target, root, () => rename(path, target))
    })

  return {
    putFile: (key, source, { consume = false }) =>
      onDisk(async () => {
        const target = pathOf(key)
        if (!consume) return copyInto(target, source)
        await syncFile(source)
        try {
          await place(target, root, () => rename(source, target))
        } catch (error) {
          if (systemCode(error) !== 'EXDEV') throw error
          await copyInto(target, source)
          await unlink(source)
        }
      }),

    putBytes: (key, bytes) =>
      onDisk(async () => {
        const target = pathOf(key)
        await withTemporary(async (path) => {
          await writeDurably(path, bytes)
          await place(target, root, () => rename(path, target))
        })
      }),

    createBytes: (key, bytes) =>
      onDisk(async () => {
        const target = pathOf(key)
        return withTemporary(async (path) => {
          await writeDurably(path, bytes)
          let created = false
          await place(target, root, async () => {
            created = await linkNew(path, target)
          })
          return created
        })
      }),

    get: (key) =>
      onDisk(async () => {
        const file = await openFile(pathOf(key))
        if (file === undefined) return undefined
        try {
          return await readRange(file, 0, file.size)
        } finally {
          await file.handle.close()
        }
      }),

    open: (key, range) =>
      onDisk(async () => {
        const file = await openFile(pathOf(key))
        if (file === undefined) return undefined
        try {
          if (range !== undefined) checkRange(range, file.size)
        } catch (error) {
          await file.handle.close()
          throw error
        }
        const { start, end } = range ?? { start: 0, end: file.size - 1 }
        return { size: file.size, body: streamRange(file, start, end + 1 - start) }
      }),

    head: (key) => onDisk(() => headOf(pathOf(key))),

    async *list(prefix) {
      try {
        const folder = prefixFolder(prefix)
        yield* objectsIn(join(root, ...folder), folder, prefix)
      } catch (error) {
        throw storageError(error)
      }
    },

    delete: (keys) =>
      onDisk(async () => {
        for (const path of keys.map(pathOf)) await removeStored(path, root)
      }),

    copy: (from, to) =>
      onDisk(async () => {
        const [source, target] = [pathOf(from), pathOf(to)]
        if ((await headOf(source)) === undefined) return false
        return withTemporary(async (path) => {
          if (!(await secondName(source, path, copyDurably))) return false
          // Both keys then have the current time, so that a clean-up by age takes neither for old.
          await utimes(path, new Date(), new Date())
          await place(target, root, () => rename(path, target))
          return true
        })
      }),

    checkOut: (key) =>
      onDisk(async () => {
        const source = pathOf(key)
        if ((await headOf(source)) === undefined) return undefined
        return checkedOut(source, await temporary.next())
      }),

    check: () =>
      onDisk(() =>
        withTemporary((first) =>
          withTemporary(async (second) => {
            await writeDurably(first, new Uint8Array([1]))
            await link(first, second)
          }),
        ),
      ),

    sweepTemporary: () => onDisk(temporary.sweep),
  }
}

/** Unlike a rename, a link never replaces. @returns false when the name is taken */
async function linkNew(path: string, target: string): Promise<boolean> {
  try {
    await link(path, target)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Gives a file a second name. Objects are replaced and deleted, never changed, so that the content under the other
 * name stays the same.
 * @param copy for file systems without links
 * @returns false when there is no such file
 */
async function secondName(
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

/** A program that reads the file by name is not disturbed when the object is deleted or replaced. */
async function checkedOut(source: string, path: string): Promise<LocalFile | undefined> {
  if (!(await secondName(source, path, copyFile))) return undefined
  return { path, release: () => onDisk(() => rm(path, { force: true })) }
}
