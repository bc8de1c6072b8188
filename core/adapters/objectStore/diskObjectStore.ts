import { copyFile, link, rename, rm, unlink, utimes } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { systemCode } from '@lantern-room/base'
import type { ByteRange, ListedObject, ObjectStore, OpenObject } from '@lantern-room/media/ports'
import { copyDurably, place, secondName, syncFile, writeDurably } from './disk/durableFile'
import { onDisk, storageError } from './disk/fileErrors'
import { checkRange, openFile, readRange, streamRange, withFile } from './disk/fileRange'
import { keyParts, prefixFolder } from './disk/objectKey'
import { headOf, objectsIn, removeStored } from './disk/storedFiles'
import { temporaryNames } from './disk/temporaryNames'

/**
 * Keeps objects as files, `<folder>/<key>`. Several processes may share the folder. A file is written under a temporary name in
 * the same file system, flushed, and only then gets its own name, so that no reader ever sees a part of it and no power cut
 * leaves one. Because keys become paths, one key cannot be a folder of another (`a` and `a/b`), and keys that differ only in case
 * are one where the file system says so.
 * @param options.folder is created at the first write
 * @returns a store whose calls throw what the port `ObjectStore` says, such as ServiceError `unavailable` when the disk is full
 * @example
 * const store = createDiskObjectStore({ folder: '/var/lib/lantern-room/store' })
 * await store.check() // throws at the start, not at the first upload
 */
export function createDiskObjectStore({ folder }: { readonly folder: string }): ObjectStore {
  const root = resolve(folder)
  // No key can have this name, because `@` is not allowed in keys.
  const temporary = temporaryNames(join(root, '@tmp'))
  const pathOf = (key: string) => join(root, ...keyParts(key))

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
      withTemporary(async (path) => {
        const target = pathOf(key)
        await writeDurably(path, bytes)
        await place(target, root, () => rename(path, target))
      }),
    createBytes: (key, bytes) =>
      withTemporary(async (path) => {
        const target = pathOf(key)
        await writeDurably(path, bytes)
        return place(target, root, () => linkNew(path, target))
      }),
    get: (key) => onDisk(() => withFile(pathOf(key), (file) => readRange(file, 0, file.size))),
    open: (key, range) => onDisk(() => openObject(pathOf(key), range)),
    head: (key) => onDisk(() => headOf(pathOf(key))),
    list: (prefix, after = '') => listed(root, prefix, after),
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
    /** A program that reads the file by name is not disturbed when the object is deleted or replaced. */
    checkOut: (key) =>
      onDisk(async () => {
        const source = pathOf(key)
        if ((await headOf(source)) === undefined) return undefined
        const path = await temporary()
        if (!(await secondName(source, path, copyFile))) return undefined
        return { path, release: () => onDisk(() => rm(path, { force: true })) }
      }),
    /** Tries to write and to link a file. */
    check: () =>
      withTemporary((first) =>
        withTemporary(async (second) => {
          await writeDurably(first, new Uint8Array([1]))
          await link(first, second)
        }),
      ),
  }

  function copyInto(target: string, source: string): Promise<void> {
    return withTemporary(async (path) => {
      await copyDurably(source, path)
      await place(target, root, () => rename(path, target))
    })
  }

  /** Gives `use` a temporary name; no file is left under it afterwards. */
  function withTemporary<T>(use: (path: string) => Promise<T>): Promise<T> {
    return onDisk(async () => {
      const path = await temporary()
      try {
        return await use(path)
      } finally {
        await rm(path, { force: true })
      }
    })
  }
}

async function openObject(path: string, range: ByteRange | undefined): Promise<OpenObject | undefined> {
  const file = await openFile(path)
  if (file === undefined) return undefined
  try {
    if (range !== undefined) checkRange(range, file.size)
  } catch (error) {
    await file.handle.close()
    throw error
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 }
  return { size: file.size, body: streamRange(file, start, end + 1 - start) }
}

async function* listed(root: string, prefix: string, after: string): AsyncGenerator<ListedObject> {
  try {
    const folder = prefixFolder(prefix)
    yield* objectsIn(join(root, ...folder), folder, { prefix, after })
  } catch (error) {
    throw storageError(error)
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
