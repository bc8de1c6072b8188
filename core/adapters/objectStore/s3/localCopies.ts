import { copyFile, link, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocalFile } from '#core/media/objectStore/ports'
import { onDisk } from '../disk/fileErrors'
import { type TemporaryNames, temporaryNames } from '../disk/temporaryNames'
import type { TaggedObject } from './readObject'

export type LocalCopiesOptions = {
  /** May be shared; files of killed processes in it are removed. */
  readonly folder: string
  readonly maxBytes: number
  /** Opens an object; 'unchanged' when it still has the given etag. */
  readonly fetch: (key: string, unless: string | undefined) => Promise<TaggedObject | 'unchanged' | undefined>
}

type Copy = { readonly path: string; readonly size: number; readonly etag: string; users: number }

/**
 * Local files of objects, kept for the next use: the store is asked each time whether the object has changed, but
 * sends its bytes only once. Unused copies are removed, least recently used first, when all copies together exceed
 * `maxBytes`.
 * @see docs/decisions.md, D21
 */
export class LocalCopies {
  readonly #fetch: LocalCopiesOptions['fetch']
  readonly #maxBytes: number
  readonly #kept: TemporaryNames
  readonly #lent: TemporaryNames
  readonly #sweptAtStart: Promise<unknown>
  /** In the order of their last use. */
  readonly #copies = new Map<string, Copy>()
  readonly #downloads = new Map<string, Promise<unknown>>()
  #heldBytes = 0

  constructor({ folder, maxBytes, fetch }: LocalCopiesOptions) {
    this.#fetch = fetch
    this.#maxBytes = maxBytes
    this.#kept = temporaryNames(join(folder, 'kept'))
    this.#lent = temporaryNames(join(folder, 'lent'))
    // A folder that cannot be swept cannot be written either: the first check-out reports it.
    this.#sweptAtStart = Promise.all([this.#kept.sweep(), this.#lent.sweep()]).catch(() => undefined)
  }

  /** @returns undefined when there is no such object now */
  checkOut(key: string): Promise<LocalFile | undefined> {
    return onDisk(async () => {
      await this.#sweptAtStart
      // Another caller is downloading it already.
      for (let other = this.#downloads.get(key); other !== undefined; other = this.#downloads.get(key))
        await other
      const copy = this.#copies.get(key)
      if (copy !== undefined) return this.#lendKept(key, copy)
      const download = this.#lendDownloaded(key)
      this.#downloads.set(
        key,
        download.catch(() => undefined),
      )
      return download.finally(() => this.#downloads.delete(key))
    })
  }

  /** Removes the copies of objects that are gone. */
  forget(keys: readonly string[]): Promise<void> {
    return onDisk(async () => {
      for (const key of keys) await this.#drop(key, this.#copies.get(key))
    })
  }

  async #lendKept(key: string, copy: Copy): Promise<LocalFile | undefined> {
    copy.users += 1
    this.#copies.delete(key)
    this.#copies.set(key, copy)
    const found = await this.#fetch(key, copy.etag).catch(async (error: unknown) => {
      await this.#leave(key, copy)
      throw error
    })
    if (found === 'unchanged') return this.#lend(key, copy)
    await this.#drop(key, copy)
    await this.#leave(key, copy)
    return found && this.#lend(key, await this.#keep(key, found))
  }

  async #lendDownloaded(key: string): Promise<LocalFile | undefined> {
    const found = await this.#fetch(key, undefined)
    if (found === undefined || found === 'unchanged') return undefined
    return this.#lend(key, await this.#keep(key, found))
  }

  /** A second name for one user of the copy: it costs nothing and stays valid when the copy is removed. */
  async #lend(key: string, copy: Copy): Promise<LocalFile> {
    let path: string
    try {
      path = await this.#lent.next()
      await link(copy.path, path).catch(() => copyFile(copy.path, path))
    } catch (error) {
      await this.#leave(key, copy)
      throw error
    }
    let released: Promise<void> | undefined
    return {
      path,
      release: () => {
        released ??= onDisk(async () => {
          await rm(path, { force: true })
          await this.#leave(key, copy)
        })
        return released
      },
    }
  }

  /** @returns a copy that counts the caller as a user */
  async #keep(key: string, { size, etag, body }: TaggedObject): Promise<Copy> {
    const path = await this.#kept.next()
    const copy = { path, size, etag, users: 1 }
    this.#heldBytes += size
    try {
      await this.#removeUnused()
      const handle = await open(path, 'wx', 0o600)
      try {
        for await (const chunk of body) await handle.writeFile(chunk)
      } finally {
        await handle.close()
      }
    } catch (error) {
      await body.cancel().catch(() => undefined)
      await this.#remove(copy)
      throw error
    }
    await this.#drop(key, this.#copies.get(key))
    this.#copies.set(key, copy)
    return copy
  }

  /** Ends a use. A copy that was dropped from the list meanwhile is removed with its last use. */
  async #leave(key: string, copy: Copy): Promise<void> {
    copy.users -= 1
    if (copy.users === 0 && this.#copies.get(key) !== copy) await this.#remove(copy)
    await this.#removeUnused()
  }

  /** Takes a copy off the list. Its file stays as long as it has users. */
  async #drop(key: string, copy: Copy | undefined): Promise<void> {
    if (copy === undefined || this.#copies.get(key) !== copy) return
    this.#copies.delete(key)
    if (copy.users === 0) await this.#remove(copy)
  }

  async #removeUnused(): Promise<void> {
    for (const [key, copy] of this.#copies) {
      if (this.#heldBytes <= this.#maxBytes) return
      if (copy.users > 0) continue
      this.#copies.delete(key)
      await this.#remove(copy)
    }
  }

  async #remove(copy: Copy): Promise<void> {
    this.#heldBytes -= copy.size
    await rm(copy.path, { force: true })
  }
}
