import { copyFile, link, rename, rm, unlink, utimes } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { systemCode } from '#core/errors'
import type { ListedObject, ObjectStore } from '#core/media/objectStore/ports'
import { copyDurably, place, secondName, syncFile, writeDurably } from './disk/durableFile'
import { onDisk, storageError } from './disk/fileErrors'
import { checkRange, openFile, readRange, streamRange, withFile } from './disk/fileRange'
import { keyParts, prefixFolder } from './disk/objectKey'
import { headOf, objectsIn, removeStored } from './disk/storedFiles'
import { type TemporaryNames, temporaryNames } from './disk/temporaryNames'

export type DiskObjectStore = ObjectStore & {
  /** Removes half-written files of killed processes; safe while other processes run. */
  sweepTemporary(): Promise<void>
}

/**
 * Keeps objects as files, `<folder>/<key>`. Several processes may share the folder. A file is written under a temporary name in
 * the same file system, flushed, and only then gets its own name, so that no reader ever sees a part of it and no power cut
 * leaves one. Because keys become paths, one key cannot be a folder of another (`a` and `a/b`), and keys that differ only in case
 * are one where the file system says so.
 */
export function createDiskObjectStore(options: { readonly folder: string }): DiskObjectStore {
  return new ObjectFolder(options.folder)
}

/** Its public members are fields, so that a store can be spread. */
class ObjectFolder implements DiskObjectStore {
  readonly #root: string
  readonly #temporary: TemporaryNames

  constructor(folder: string) {
    this.#root = resolve(folder)
    // No key can have this name, because `@` is not allowed in keys.
    this.#temporary = temporaryNames(join(this.#root, '@tmp'))
  }

  readonly putFile: ObjectStore['putFile'] = (key, source, { consume = false }) =>
    onDisk(async () => {
      const target = this.#pathOf(key)
      if (!consume) return this.#copyInto(target, source)
      await syncFile(source)
      try {
        await this.#place(target, () => rename(source, target))
      } catch (error) {
        if (systemCode(error) !== 'EXDEV') throw error
        await this.#copyInto(target, source)
        await unlink(source)
      }
    })

  readonly putBytes: ObjectStore['putBytes'] = (key, bytes) =>
    this.#withTemporary(async (path) => {
      const target = this.#pathOf(key)
      await writeDurably(path, bytes)
      await this.#place(target, () => rename(path, target))
    })

  readonly createBytes: ObjectStore['createBytes'] = (key, bytes) =>
    this.#withTemporary(async (path) => {
      const target = this.#pathOf(key)
      await writeDurably(path, bytes)
      let created = false
      await this.#place(target, async () => {
        created = await linkNew(path, target)
      })
      return created
    })

  readonly get: ObjectStore['get'] = (key) =>
    onDisk(() => withFile(this.#pathOf(key), (file) => readRange(file, 0, file.size)))

  readonly open: ObjectStore['open'] = (key, range) =>
    onDisk(async () => {
      const file = await openFile(this.#pathOf(key))
      if (file === undefined) return undefined
      try {
        if (range !== undefined) checkRange(range, file.size)
      } catch (error) {
        await file.handle.close()
        throw error
      }
      const { start, end } = range ?? { start: 0, end: file.size - 1 }
      return { size: file.size, body: streamRange(file, start, end + 1 - start) }
    })

  readonly head: ObjectStore['head'] = (key) => onDisk(() => headOf(this.#pathOf(key)))

  readonly list: ObjectStore['list'] = (prefix, after = '') => listed(this.#root, prefix, after)

  readonly delete: ObjectStore['delete'] = (keys) =>
    onDisk(async () => {
      for (const path of keys.map((key) => this.#pathOf(key))) await removeStored(path, this.#root)
    })

  readonly copy: ObjectStore['copy'] = (from, to) =>
    onDisk(async () => {
      const [source, target] = [this.#pathOf(from), this.#pathOf(to)]
      if ((await headOf(source)) === undefined) return false
      return this.#withTemporary(async (path) => {
        if (!(await secondName(source, path, copyDurably))) return false
        // Both keys then have the current time, so that a clean-up by age takes neither for old.
        await utimes(path, new Date(), new Date())
        await this.#place(target, () => rename(path, target))
        return true
      })
    })

  /** A program that reads the file by name is not disturbed when the object is deleted or replaced. */
  readonly checkOut: ObjectStore['checkOut'] = (key) =>
    onDisk(async () => {
      const source = this.#pathOf(key)
      if ((await headOf(source)) === undefined) return undefined
      const path = await this.#temporary.next()
      if (!(await secondName(source, path, copyFile))) return undefined
      return { path, release: () => onDisk(() => rm(path, { force: true })) }
    })

  /** Tries to write and to link a file. */
  readonly check = (): Promise<void> =>
    this.#withTemporary((first) =>
      this.#withTemporary(async (second) => {
        await writeDurably(first, new Uint8Array([1]))
        await link(first, second)
      }),
    )

  readonly sweepTemporary = (): Promise<void> => onDisk(() => this.#temporary.sweep())

  #pathOf(key: string): string {
    return join(this.#root, ...keyParts(key))
  }

  #place(target: string, move: () => Promise<void>): Promise<void> {
    return place(target, this.#root, move)
  }

  #copyInto(target: string, source: string): Promise<void> {
    return this.#withTemporary(async (path) => {
      await copyDurably(source, path)
      await this.#place(target, () => rename(path, target))
    })
  }

  /** Gives `use` a temporary name; no file is left under it afterwards. */
  #withTemporary<T>(use: (path: string) => Promise<T>): Promise<T> {
    return onDisk(async () => {
      const path = await this.#temporary.next()
      try {
        return await use(path)
      } finally {
        await rm(path, { force: true })
      }
    })
  }
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
