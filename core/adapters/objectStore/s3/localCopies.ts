import { copyFile, link, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { LocalFile } from '#core/media/objectStore/ports'
import { onDisk } from '../disk/fileErrors'
import { temporaryNames } from '../disk/temporaryNames'
import type { TaggedObject } from './readObject'

export type LocalCopies = {
  /** @returns undefined when there is no such object now */
  checkOut(key: string): Promise<LocalFile | undefined>
  /** Removes the copies of objects that are gone. */
  forget(keys: readonly string[]): Promise<void>
}

type Copy = { readonly path: string; readonly size: number; readonly etag: string; users: number }

/**
 * Local files of objects, kept for the next use: the store is asked each time whether the object has changed, but
 * sends its bytes only once. Unused copies are removed, least recently used first, when all copies together exceed
 * `maxBytes`.
 * @param options.folder may be shared; files of killed processes in it are removed
 * @param options.fetch opens an object; 'unchanged' when it still has the given etag
 * @see docs/decisions.md, D21
 */
export function createLocalCopies(options: {
  readonly folder: string
  readonly maxBytes: number
  readonly fetch: (key: string, unless: string | undefined) => Promise<TaggedObject | 'unchanged' | undefined>
}): LocalCopies {
  const { folder, maxBytes, fetch } = options
  const kept = temporaryNames(join(folder, 'kept'))
  const lent = temporaryNames(join(folder, 'lent'))
  // A folder that cannot be swept cannot be written either: the first check-out reports it.
  const sweptAtStart = Promise.all([kept.sweep(), lent.sweep()]).catch(() => undefined)
  /** In the order of their last use. */
  const copies = new Map<string, Copy>()
  const downloads = new Map<string, Promise<unknown>>()
  let heldBytes = 0

  async function remove(copy: Copy): Promise<void> {
    heldBytes -= copy.size
    await rm(copy.path, { force: true })
  }

  async function removeUnused(): Promise<void> {
    for (const [key, copy] of copies) {
      if (heldBytes <= maxBytes) return
      if (copy.users > 0) continue
      copies.delete(key)
      await remove(copy)
    }
  }

  async function forget(key: string, copy = copies.get(key)): Promise<void> {
    if (copy === undefined || copies.get(key) !== copy) return
    copies.delete(key)
    if (copy.users === 0) await remove(copy)
  }

  /** Ends a use. A copy that was dropped from the list meanwhile is removed with its last use. */
  async function leave(key: string, copy: Copy): Promise<void> {
    copy.users -= 1
    if (copy.users === 0 && copies.get(key) !== copy) await remove(copy)
    await removeUnused()
  }

  /** A second name for one user of the copy: it costs nothing and stays valid when the copy is removed. */
  async function lend(key: string, copy: Copy): Promise<LocalFile> {
    let path: string
    try {
      path = await lent.next()
      await link(copy.path, path).catch(() => copyFile(copy.path, path))
    } catch (error) {
      await leave(key, copy)
      throw error
    }
    let released: Promise<void> | undefined
    return {
      path,
      release() {
        released ??= onDisk(async () => {
          await rm(path, { force: true })
          await leave(key, copy)
        })
        return released
      },
    }
  }

  async function lendKept(key: string, copy: Copy): Promise<LocalFile | undefined> {
    copy.users += 1
    copies.delete(key)
    copies.set(key, copy)
    const found = await fetch(key, copy.etag).catch(async (error: unknown) => {
      await leave(key, copy)
      throw error
    })
    if (found === 'unchanged') return lend(key, copy)
    await forget(key, copy)
    await leave(key, copy)
    return found && lend(key, await keep(key, found))
  }

  async function lendDownloaded(key: string): Promise<LocalFile | undefined> {
    const found = await fetch(key, undefined)
    return found === undefined || found === 'unchanged' ? undefined : lend(key, await keep(key, found))
  }

  /** @returns a copy that counts the caller as a user */
  async function keep(key: string, { size, etag, body }: TaggedObject): Promise<Copy> {
    const path = await kept.next()
    const copy = { path, size, etag, users: 1 }
    heldBytes += size
    try {
      await removeUnused()
      const handle = await open(path, 'wx', 0o600)
      try {
        for await (const chunk of body) await handle.writeFile(chunk)
      } finally {
        await handle.close()
      }
    } catch (error) {
      await body.cancel().catch(() => undefined)
      await remove(copy)
      throw error
    }
    await forget(key)
    copies.set(key, copy)
    return copy
  }

  return {
    checkOut: (key) =>
      onDisk(async () => {
        await sweptAtStart
        // Another caller is downloading it already.
        for (let other = downloads.get(key); other !== undefined; other = downloads.get(key)) await other
        const copy = copies.get(key)
        if (copy !== undefined) return lendKept(key, copy)
        const download = lendDownloaded(key)
        downloads.set(
          key,
          download.catch(() => undefined),
        )
        return download.finally(() => downloads.delete(key))
      }),

    forget: (keys) =>
      onDisk(async () => {
        for (const key of keys) await forget(key)
      }),
  }
}
