import { effect, signal } from '@preact/signals'
import { saveFile } from '../../shared/ask'
import { language } from '../../shared/language'
import { inWorker, inWorkerByParts } from '../photo/inWorker'
import type { Given } from '../takeout/openExport'
import type { Told } from '../takeout/session'
import { mayLeave } from './leaving'
import { problem, problemOf } from './store'

/** What the worker shows of the export that is open. */
export const shown = signal<Told | undefined>(undefined)
/** Its files, where they are so few that photos may be made of them instead: each of thousands would lie in memory twice. */
export let given: readonly Given[] = []
const MOST_KEPT = 200

let opened: object | undefined

/** Opens an export beside what is there; none: the page asks for one. */
export async function openExport(files: readonly Given[] = []): Promise<void> {
  if (!(await mayLeave())) return
  given = files.length > MOST_KEPT ? [] : files
  const own = {}
  opened = own
  const tell = (told: Told) => {
    shown.value = told
    if (told.save) saveFile(told.save.file, told.save.name)
  }
  await inWorkerByParts(tell, 'takeOut', files, 'showDirectoryPicker' in window, language.value).catch(
    (error) => {
      problem.value = problemOf(error)
    },
  )
  if (opened === own) shown.value = undefined
}

effect(() => {
  if (language.value && shown.peek()) void inWorker('press', 'language', language.value)
})

/** Opens folders as they were dropped. @returns false where there are none */
export function openFolders(items: DataTransferItemList | undefined): boolean {
  const entries = [...(items ?? [])].flatMap((item) => item.webkitGetAsEntry?.() ?? [])
  if (!entries.some(({ isDirectory }) => isDirectory)) return false
  void Promise.all(entries.map(filesBelow)).then((files) => openExport(files.flat()))
  return true
}

async function filesBelow(entry: FileSystemEntry): Promise<Given[]> {
  if (!entry.isDirectory)
    return new Promise((resolve) =>
      (entry as FileSystemFileEntry).file(
        (file) => resolve([{ file, path: entry.fullPath.slice(1) }]),
        () => resolve([]),
      ),
    )
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const all: Given[][] = []
  // Each time it gives some of them, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve) =>
      reader.readEntries(resolve, () => resolve([])),
    )
    if (some.length === 0) return all.flat()
    for (const one of some) all.push(await filesBelow(one))
  }
}
