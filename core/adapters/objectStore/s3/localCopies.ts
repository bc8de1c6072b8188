import { copyFile, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocalFile } from '#core/media/objectStore/ports'
import { secondName } from '../disk/durableFile'
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

type Copy = { readonly path: string; readonly size: number; readonly etag: string }

/**
 * Local files of objects, kept for the next use: the store is asked each time whether the object has changed, but
 * sends its bytes only once. Each user has a second name of the file, so that copies can go at any time: those least recently used
 * do when all copies together exceed `maxBytes`.
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
      const download = this.#fetch(key, undefined).then((found) => this.#download(key, found))
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
      for (const key of keys) await this.#drop(key)
    })
  }

  async #lendKept(key: string, copy: Copy): Promise<LocalFile | undefined> {
    const found = await this.#fetch(key, copy.etag)
    if (found !== 'unchanged') return this.#download(key, found)
    const path = await this.#lent.next()
    const isThere = await secondName(copy.path, path, copyFile)
    if (this.#copies.get(key) === copy) {
      this.#copies.delete(key)
      if (isThere) this.#copies.set(key, copy)
    }
    // Otherwise it went meanwhile, to make room.
    return isThere ? lentFile(path) : this.checkOut(key)
  }

  async #download(
    key: string,
    found: TaggedObject | 'unchanged' | undefined,
  ): Promise<LocalFile | undefined> {
    await this.#drop(key)
    if (found === undefined || found === 'unchanged') return undefined
    const path = await this.#lent.next()
    try {
      await save(found.body, path)
      await this.#keep(key, path, found)
    } catch (error) {
      await found.body.cancel().catch(() => undefined)
      await rm(path, { force: true })
      throw error
    }
    return lentFile(path)
  }

  async #keep(key: string, from: string, { size, etag }: TaggedObject): Promise<void> {
    if (size > this.#maxBytes) return
    const path = await this.#kept.next()
    await secondName(from, path, copyFile)
    await this.#drop(key)
    this.#copies.set(key, { path, size, etag })
    for (const oldest of this.#copies.keys()) {
      const bytes = [...this.#copies.values()].reduce((sum, copy) => sum + copy.size, 0)
      if (bytes <= this.#maxBytes) return
      await this.#drop(oldest)
    }
  }

  async #drop(key: string): Promise<void> {
    const copy = this.#copies.get(key)
    this.#copies.delete(key)
    if (copy) await rm(copy.path, { force: true })
  }
}

async function save(body: ReadableStream<Uint8Array>, path: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of body) await handle.writeFile(chunk)
  } finally {
    await handle.close()
  }
}

function lentFile(path: string): LocalFile {
  return { path, release: () => onDisk(() => rm(path, { force: true })) }
}
