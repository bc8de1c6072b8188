import { saveFile } from '../../shared/ask'
import { inWorker } from '../photo/inWorker'
import { numbered } from '../photo/naming'
import { change, hasPhoto } from './list'
import { doWork, list, work } from './store'

export const saveAll = () =>
  doWork(async () => {
    work.value = { stage: 'storing' }
    await saveAsZip(newest())
    markSaved()
  })

type Named = { readonly name: string; readonly file: Blob }

export async function saveAsZip(photos: readonly Named[]): Promise<void> {
  const files = photos.map(({ name, file }) => ({ name, file }))
  saveFile(await inWorker('zipFiles', files), 'motion-photos.zip')
}

type FolderPicker = {
  readonly showDirectoryPicker?: (options: {
    readonly mode: 'readwrite'
  }) => Promise<FileSystemDirectoryHandle>
}

export function canSaveIntoFolder(): boolean {
  return (window as FolderPicker).showDirectoryPicker !== undefined
}

/** Writes the photos into a folder of this device, and over no file that is there. */
export const saveIntoFolder = () =>
  doWork(async () => {
    // It rejects when it is closed without a choice.
    const picking = (window as FolderPicker).showDirectoryPicker?.({ mode: 'readwrite' })
    const folder = await picking?.catch(() => undefined)
    if (!folder) return
    work.value = { stage: 'storing' }
    for (const { name, file } of newest()) {
      const writer = await (await newFileIn(folder, name)).createWritable()
      await writer.write(file)
      await writer.close()
    }
    markSaved()
  })

/** A file of this name, or of the name with a number where there is one already. */
async function newFileIn(folder: FileSystemDirectoryHandle, wanted: string): Promise<FileSystemFileHandle> {
  let name = wanted
  for (let number = 2; await isIn(folder, name); number += 1) name = numbered(wanted, number)
  return folder.getFileHandle(name, { create: true })
}

function isIn(folder: FileSystemDirectoryHandle, name: string): Promise<boolean> {
  return folder.getFileHandle(name).then(
    () => true,
    () => false,
  )
}

/** The newest photo of each file. */
function newest(): readonly Named[] {
  return list.value.filter(hasPhoto).flatMap(({ photos: [photo] }) => photo ?? [])
}

function markSaved(): void {
  for (const { file } of list.value.filter(hasPhoto)) change(file, { state: 'saved' })
}
