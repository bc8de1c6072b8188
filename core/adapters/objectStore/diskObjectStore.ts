import type { ObjectStore } from '#core/media/objectStore/ports'
import { onDisk, storageError } from './disk/fileErrors'
import { ObjectFolder } from './disk/objectFolder'

export type DiskObjectStore = ObjectStore & {
  /** Removes half-written files of killed processes; safe while other processes run. */
  sweepTemporary(): Promise<void>
}

/** Keeps objects as files, `<folder>/<key>`. Several processes may share the folder. */
export function createDiskObjectStore(options: { readonly folder: string }): DiskObjectStore {
  const folder = new ObjectFolder(options.folder)
  return {
    putFile: (key, source, { consume = false }) => onDisk(() => folder.putFile(key, source, consume)),
    putBytes: (key, bytes) => onDisk(() => folder.putBytes(key, bytes)),
    createBytes: (key, bytes) => onDisk(() => folder.createBytes(key, bytes)),
    get: (key) => onDisk(() => folder.get(key)),
    open: (key, range) => onDisk(() => folder.open(key, range)),
    head: (key) => onDisk(() => folder.head(key)),
    async *list(prefix, after) {
      try {
        yield* folder.list(prefix, after)
      } catch (error) {
        throw storageError(error)
      }
    },
    delete: (keys) => onDisk(() => folder.delete(keys)),
    copy: (from, to) => onDisk(() => folder.copy(from, to)),
    checkOut: (key) => onDisk(() => folder.checkOut(key)),
    check: () => onDisk(() => folder.check()),
    sweepTemporary: () => onDisk(() => folder.sweepTemporary()),
  }
}
