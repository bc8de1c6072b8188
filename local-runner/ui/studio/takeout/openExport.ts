import { hasBytesAt } from '@lantern-room/base/bytes'
import { plainPath } from '@lantern-room/takeout'
import {
  type ExportEntry,
  type ExportFiles,
  type ExportProblem,
  isArchiveName,
  isZipName,
  missingParts,
  tarEntries,
  zipEntries,
} from '@lantern-room/takeout/work'
import { sourceOf } from './sources'
import { unpackedBlob, unpackingOf } from './unpack'

/** A file that a person has given, with the folders that it is in. */
export type Given = { readonly file: File; readonly path: string }

const [ZIP, GZIP] = [Uint8Array.of(0x50, 0x4b), Uint8Array.of(0x1f, 0x8b)]

/** Opens an export as the command does: folders, ZIPs and tar archives. What cannot be opened is a problem. @throws the signal's reason */
export async function openExport(given: readonly Given[], signal: AbortSignal): Promise<ExportFiles> {
  const entries: ExportEntry[] = []
  const problems: ExportProblem[] = []
  const archives: string[] = []
  for (const one of given) {
    signal.throwIfAborted()
    const found = isArchiveName(one.path) ? await openArchive(one, signal) : undefined
    if (!found) {
      entries.push(entryOf(one))
      continue
    }
    archives.push(one.file.name)
    // Not as arguments of one call: there may be a hundred thousand and more.
    for (const entry of found.entries) entries.push(entry)
    for (const problem of found.problems) problems.push(problem)
  }
  problems.push(...missingParts(archives))
  return { entries: entries.sort((one, other) => (one.path < other.path ? -1 : 1)), problems }
}

function entryOf({ file, path }: Given): ExportEntry {
  return {
    path,
    plain: plainPath(path),
    size: file.size,
    modifiedMs: file.lastModified,
    original: undefined,
    open: async () => ({ source: sourceOf(file), close: async () => undefined }),
  }
}

/** @returns undefined for a file that is no archive */
async function openArchive({ file, path }: Given, signal: AbortSignal): Promise<ExportFiles | undefined> {
  const unpacking = unpackingOf(signal)
  try {
    const head = new Uint8Array(await file.slice(0, 4).arrayBuffer())
    if (hasBytesAt(head, 0, ZIP) || isZipName(path)) return await zipEntries(sourceOf(file), path, unpacking)
    const isPacked = hasBytesAt(head, 0, GZIP)
    const tar = isPacked
      ? await unpackedBlob(file, 'gzip', { signal, mostBytes: Number.POSITIVE_INFINITY })
      : file
    const found = await tarEntries(sourceOf(tar), path, unpacking)
    return isPacked ? (found ?? cut(path)) : found
  } catch {
    signal.throwIfAborted()
    return cut(path)
  }
}

function cut(path: string): ExportFiles {
  const reason = 'The archive is cut or damaged. Download it again.'
  return { entries: [], problems: [{ path, kind: 'cut', reason }] }
}

/** Files that are beside photos in exports only: `IMG_1.jpg.json` and what Google makes of longer names, and Apple's tables. */
const BESIDE = /\.\w{3,4}(?:\.s[\w-]*)?(?:\(\d+\))?\.json$|^photo details.*\.csv$/i

/** Whether files look like an export rather than like what a person makes motion photos of. A Live Photo may be in a ZIP, too. */
export async function isExport(files: readonly File[]): Promise<boolean> {
  if (files.some(({ name }) => BESIDE.test(name))) return true
  for (const file of files) {
    if (!isArchiveName(file.name)) continue
    const found = await openArchive({ file: cutTar(file), path: file.name }, new AbortController().signal)
    if (found && found.entries.length !== LIVE_PHOTO_FILES) return true
  }
  return false
}

const LIVE_PHOTO_FILES = 2
/** A packed archive is not unpacked for the question: it is none that has a Live Photo in it. */
function cutTar(file: File): File {
  return /gz$/i.test(file.name) ? new File([file.slice(0, 4)], file.name) : file
}
