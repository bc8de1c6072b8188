import { get, put } from './database'

/** Larger files are copied nowhere: they have to be chosen again, unless the browser gives a handle. */
const MAX_COPIED_BYTES = 400e6

type Handle = FileSystemFileHandle & {
  requestPermission?(mode: { readonly mode: 'read' }): Promise<PermissionState>
}

/** Of files that were dropped, by the files' ids. */
const handles = new Map<string, Handle>()
/** Whether each is there, by its id. */
const there = new Map<string, Promise<boolean>>()

/** The same for the same file after a reload. */
export function idOf({ name, size, lastModified }: File): string {
  return JSON.stringify([name, size, lastModified])
}

/** Asks for handles of what is dropped, by which a file is opened again without a copy of it. */
export function noteHandles(items: DataTransferItemList | undefined): void {
  for (const item of items ?? []) {
    const asking = (item as { getAsFileSystemHandle?(): Promise<FileSystemHandle | null> })
      .getAsFileSystemHandle?.()
      .then(async (handle) => {
        if (handle?.kind !== 'file') return
        const file = await (handle as Handle).getFile()
        handles.set(idOf(file), handle as Handle)
      })
    void asking?.catch(() => undefined)
  }
}

/** Keeps a file for after a reload. @returns whether it is kept */
export function keptFile(file: File): Promise<boolean> {
  const id = idOf(file)
  const known = there.get(id) ?? keep(id, file)
  there.set(id, known)
  return known
}

async function keep(id: string, file: File): Promise<boolean> {
  const handle = handles.get(id)
  if (!handle && file.size > MAX_COPIED_BYTES) return false
  return put('files', id, handle ?? file).then(
    () => true,
    () => false,
  )
}

/** @returns undefined where it is gone, or may not be read any more */
export async function fileOf(id: string): Promise<File | undefined> {
  const value = await get('files', id)
  if (value instanceof File) return withId(id, value)
  if (!(value instanceof FileSystemFileHandle)) return undefined
  const handle: Handle = value
  const state = (await handle.requestPermission?.({ mode: 'read' })) ?? 'granted'
  if (state !== 'granted') return undefined
  handles.set(id, handle)
  return handle.getFile().then(
    (file) => withId(id, file),
    () => undefined,
  )
}

function withId(id: string, file: File): File {
  there.set(id, Promise.resolve(true))
  return file
}
