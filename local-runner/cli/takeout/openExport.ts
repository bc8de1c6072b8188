import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { crc32, inflateRaw } from 'node:zlib'
import { ServiceError } from '@lantern-room/base'
import { hasBytesAt } from '@lantern-room/base/bytes'
import { isZip } from '@lantern-room/formats/files'
import { rangedSource } from '@lantern-room/mp4/source'
import { plainPath } from '@lantern-room/takeout'
import {
  type ExportEntry,
  type ExportFiles,
  type ExportProblem,
  isArchiveName,
  isZipName,
  missingParts,
  tarEntries,
  type Unpacking,
  zipEntries,
} from '@lantern-room/takeout/work'
import type { UserFiles } from '../compose'
import { endsAll, failureOf } from '../failure'

export type OpenExport = ExportFiles & { close(): Promise<void> }

export type OpeningExport = {
  readonly files: UserFiles
  readonly signal: AbortSignal
  /** A folder of this run, for archives that can only be read from their beginning. */
  readonly spool: () => Promise<string>
  /** Where the results go: it is not read. */
  readonly out: string
}

type Listed = NonNullable<Awaited<ReturnType<UserFiles['listNames']>>>

const GZIP = Uint8Array.of(0x1f, 0x8b)
const HEAD_BYTES = 512

/**
 * Opens an export: folders, ZIPs and tar archives, which may be its parts in any order. Archives in folders are opened as well.
 * What cannot be opened is a problem, and costs the rest nothing.
 * @throws what ends the whole run, as a full disk; the signal's reason
 */
export async function openExport(paths: readonly string[], opening: OpeningExport): Promise<OpenExport> {
  const { files, out } = opening
  const entries: ExportEntry[] = []
  const problems: ExportProblem[] = []
  const archives: string[] = []
  const closing: (() => Promise<void>)[] = []
  const outId = (await files.entryAt(out))?.id
  const seen = new Set<string>()
  for (const path of paths) await add(path, basename(path), path)
  problems.push(...missingParts(archives))
  return {
    entries: entries.sort((one, other) => (one.path < other.path ? -1 : 1)),
    problems,
    async close() {
      for (const close of closing) await close()
    },
  }

  /** @param label the path inside the export @param root that is named */
  async function add(path: string, label: string, root: string): Promise<void> {
    opening.signal.throwIfAborted()
    const isNamed = path === root
    const entry = await files.entryAt(path)
    if (!entry) return void problems.push({ path: label, kind: 'other', reason: 'There is no such file.' })
    if (entry.id === outId || seen.has(entry.id)) return
    seen.add(entry.id)
    const names = await files.listNames(path).catch(() => undefined)
    if (names) return addFolder(path, names, isNamed ? '' : `${label}/`, root)
    const mayBeArchive = isNamed || isArchiveName(path)
    if (!mayBeArchive || !(await addArchive(path, label)))
      entries.push(await fileEntry(path, label, entry.bytes, files))
  }

  async function addFolder(path: string, names: Listed, before: string, root: string): Promise<void> {
    for (const name of [...names.files, ...names.folders]) await add(join(path, name), before + name, root)
    const reason = 'a link to a folder or to nothing, or no file'
    for (const name of names.others)
      problems.push({ path: before + name, kind: 'other', reason, isLeft: true })
  }

  /** @returns false of a file that is no archive */
  async function addArchive(path: string, label: string): Promise<boolean> {
    try {
      const opened = await openArchive(path, label, opening)
      if (!opened) return false
      archives.push(basename(path))
      closing.push(opened.close)
      // Not as arguments of one call: there may be a hundred thousand and more.
      for (const entry of opened.entries) entries.push(entry)
      for (const problem of opened.problems) problems.push(problem)
    } catch (error) {
      opening.signal.throwIfAborted()
      if (endsAll(error)) throw error
      problems.push({
        path: label,
        kind: 'cut',
        reason: error instanceof ServiceError ? error.detail : failureOf(error).sentence,
      })
    }
    return true
  }
}

async function fileEntry(
  path: string,
  label: string,
  size: number,
  { modificationTime, openKept }: UserFiles,
): Promise<ExportEntry> {
  const modifiedMs = await modificationTime(path).catch(() => undefined)
  return {
    path: label,
    plain: plainPath(label),
    size,
    modifiedMs,
    original: path,
    async open() {
      const source = await openKept(path)
      return { source, close: () => source.close() }
    },
  }
}

async function openArchive(path: string, label: string, opening: OpeningExport) {
  const { files, signal, spool } = opening
  const unpacking = unpackingOf(opening)
  const source = await files.openKept(path)
  const head = await source.read(0, Math.min(HEAD_BYTES, source.size))
  if (isZip(head) || isZipName(path)) {
    const close = () => source.close()
    return { ...(await zipEntries(source, label, unpacking)), close }
  }
  if (!hasBytesAt(head, 0, GZIP)) {
    const found = await tarEntries(source, label, unpacking)
    if (found) return { ...found, close: () => source.close() }
    await source.close()
    return undefined
  }
  await source.close()
  // Its files cannot be found without unpacking it: it is unpacked once, into one file.
  const tar = join(await spool(), `${basename(path)}.tar`)
  await files.unpackGzip(path, tar, signal)
  const unpacked = await files.openKept(tar)
  const found = await tarEntries(unpacked, label, unpacking)
  if (found) return { ...found, close: () => unpacked.close() }
  await unpacked.close()
  throw new ServiceError('unprocessable', 'It is no tar archive that is packed by gzip.')
}

const inflate = promisify(inflateRaw)

function unpackingOf({ files, spool, signal }: OpeningExport): Unpacking {
  let films = 0
  return {
    crc32,
    inflate: (packed, mostBytes) => inflate(packed, { maxOutputLength: mostBytes }),
    partOf: (source, start, end) =>
      rangedSource(end - start, (from, to) => source.read(start + from, start + to)),
    signal,
    /** A large film that is deflated is unpacked into a file for as long as it is read. */
    async unpackLarge(packed, bytes) {
      films += 1
      const path = join(await spool(), `film-${films}`)
      const remove = () => files.removeUnpacked(path)
      try {
        await files.unpackDeflated(packed, path, bytes, signal)
        const source = await files.openKept(path)
        const close = async () => {
          await source.close()
          await remove()
        }
        return { source, close }
      } catch (error) {
        await remove()
        throw error
      }
    },
  }
}
