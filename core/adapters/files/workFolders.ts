import { mkdir, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { WorkFolder, WorkFolders } from '@lantern-room/media/ports'
import { onDisk } from '../objectStore/disk/fileErrors'
import { checkRange, readRange, withFile } from '../objectStore/disk/fileRange'
import { isKeyPart, mistake } from '../objectStore/disk/objectKey'
import { headOf } from '../objectStore/disk/storedFiles'
import { type TemporaryNames, temporaryNames } from '../objectStore/disk/temporaryNames'

/**
 * Makes one folder per request below `folder`, each named after the process that owns it. What killed processes
 * left is removed when this starts. Several processes, and several threads of one, may share `folder`.
 * @param options.prefix begins each name; needed where `folder` belongs to others too, as the system's temporary one. @default ''
 * @param options.now milliseconds, for the age of what is left. @default the time of the file system
 * @returns folders whose calls throw ServiceError `unavailable` when the disk is full or cannot be written
 * @example
 * const folder = await createWorkFolders({ folder: tmpdir(), prefix: 'motion-photo.' }).open()
 * const path = await folder.write('clip.mp4', bytes)
 * await folder.dispose()
 */
export function createWorkFolders(options: {
  readonly folder: string
  readonly prefix?: string
  readonly now?: () => number
}): WorkFolders {
  const names = temporaryNames(resolve(options.folder), options.prefix, options.now)

  return {
    open: () =>
      onDisk(async () => {
        const path = await names()
        await mkdir(path, { mode: 0o700 })
        return workFolder(path, names)
      }),
    freeBytes: () =>
      onDisk(async () => {
        const folder = resolve(options.folder)
        await mkdir(folder, { recursive: true })
        const { bavail, bsize } = await statfs(folder)
        return bavail * bsize
      }),
  }
}

function workFolder(folder: string, names: TemporaryNames): WorkFolder {
  const path = (name: string) => {
    if (!isKeyPart(name)) throw mistake(`not a plain file name: ${JSON.stringify(name.slice(0, 200))}`)
    return join(folder, name)
  }
  let disposing: Promise<void> | undefined
  return {
    path,
    write: (name, bytes) =>
      onDisk(async () => {
        await writeFile(path(name), bytes, { mode: 0o600 })
        return path(name)
      }),
    read: (name, range) =>
      onDisk(async () => {
        const bytes = await withFile(path(name), async (file) => {
          if (range !== undefined) checkRange(range, file.size)
          const start = range?.start ?? 0
          return readRange(file, start, (range?.end ?? file.size - 1) + 1 - start)
        })
        if (bytes === undefined) throw mistake(`no such file in the work folder: ${name}`)
        return bytes
      }),
    size: (name) => onDisk(async () => (await headOf(path(name)))?.size),
    dispose() {
      disposing ??= onDisk(() => removeFolder(folder, names)).catch((error) => {
        disposing = undefined
        throw error
      })
      return disposing
    },
  }
}

/**
 * Renamed first: a process that still writes finds no folder any more. Emptied under its own name, it might fill up
 * faster than it is emptied.
 */
async function removeFolder(folder: string, names: TemporaryNames): Promise<void> {
  const aside = await names()
  // Windows does not rename a folder in which a file is open.
  const isMoved = await rename(folder, aside).then(
    () => true,
    () => false,
  )
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 } as const
  await rm(isMoved ? aside : folder, options)
}
