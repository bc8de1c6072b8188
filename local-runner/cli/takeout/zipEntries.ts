import { join } from 'node:path'
import { promisify } from 'node:util'
import { crc32, inflateRaw } from 'node:zlib'
import { ServiceError } from '@lantern-room/base'
import {
  DEFLATED,
  LARGE_ZIP,
  readZipDirectory,
  STORED,
  type ZipRecord,
  zipRecordStart,
} from '@lantern-room/formats/files'
import { type ByteSource, bytesSource, rangedSource, readFrom } from '@lantern-room/mp4/source'
import { plainPath } from '@lantern-room/takeout'
import type { UserFiles } from '../compose'
import type { ExportEntry, ExportProblem, OpenEntry } from './exportEntry'

const inflate = promisify(inflateRaw)

/** What is not larger is read at once. A film that is stored is read by ranges. */
const MAX_HELD_BYTES = 24 * 1024 * 1024
/** No photo, film or text of an export gets smaller than this. */
const MAX_RATIO = 100
const SMALL_BYTES = 4 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024

/** What unpacks a film that has no room in memory. */
export type Unpacking = {
  readonly files: Pick<UserFiles, 'openKept' | 'unpackDeflated' | 'removeUnpacked'>
  readonly spool: () => Promise<string>
  readonly signal: AbortSignal
}

export type Archive = {
  readonly entries: readonly ExportEntry[]
  readonly problems: readonly ExportProblem[]
}

/**
 * The files in a ZIP, to be read where they lie.
 * @param label of the ZIP, for its own problems
 */
export async function zipEntries(zip: ByteSource, label: string, opening: Unpacking): Promise<Archive> {
  const records = await readFrom(readZipDirectory(zip, LARGE_ZIP), zip, opening.signal)
  if (!records)
    return refused(label, 'The ZIP is cut or damaged: its directory is missing. Download it again.')
  const files = records.filter(({ name }) => !name.endsWith('/'))
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes > zip.size)
    return refused(label, 'The files in the ZIP lie in one another, which no export does.')
  const entries: ExportEntry[] = []
  const problems: ExportProblem[] = []
  for (const record of files) {
    const path = record.name.replaceAll('\\', '/')
    const reason = problemOf(record, path)
    if (reason === undefined) entries.push(zipEntry(zip, record, path, opening))
    else problems.push({ path, reason })
  }
  return { entries, problems }
}

function refused(path: string, reason: string): Archive {
  return { entries: [], problems: [{ path, reason }] }
}

function problemOf({ isEncrypted, method, size, unpackedSize }: ZipRecord, path: string): string | undefined {
  if (leadsOut(path)) return 'Its name leads out of the export.'
  if (isEncrypted) return 'It is encrypted. Unpack the ZIP with its password first.'
  if (method !== STORED && method !== DEFLATED)
    return `It is packed in a way that is not read here (method ${method}). Unpack the ZIP first.`
  if (method === STORED && size !== unpackedSize) return 'The ZIP says two lengths of it.'
  const isBomb = unpackedSize > SMALL_BYTES && unpackedSize > size * MAX_RATIO
  if (isBomb) return `It would unpack to ${unpackedSize} bytes, of ${size}.`
  return undefined
}

/** Whether a name leads out of the folder that it is in. */
export function leadsOut(path: string): boolean {
  return path.startsWith('/') || /^[a-z]:/i.test(path) || path.split('/').includes('..')
}

function zipEntry(zip: ByteSource, record: ZipRecord, path: string, unpacking: Unpacking): ExportEntry {
  const isStored = record.method === STORED
  return {
    path,
    plain: plainPath(path),
    size: record.unpackedSize,
    modifiedMs: undefined,
    original: undefined,
    async open(need): Promise<OpenEntry> {
      const start = await readFrom(zipRecordStart(zip, record), zip, undefined, 64)
      if (start === undefined) throw damaged('its header is missing')
      const stored = rangedSource(record.size, (from, to) => zip.read(start + from, start + to))
      if (isStored && (need === 'parts' || record.size > MAX_HELD_BYTES)) {
        if (need === 'whole') await checkSum(stored, record)
        return asOpen(stored)
      }
      if (record.unpackedSize > MAX_HELD_BYTES) return spooled(stored, record, unpacking)
      const packed = await stored.read(0, stored.size)
      const bytes = isStored ? packed : await unpack(packed, record)
      if (crc32(bytes) !== record.crc) throw damaged('its check sum is another one')
      return asOpen(bytesSource(bytes))
    },
  }
}

let spooledFiles = 0

/** A large film that is deflated is unpacked into a file for as long as it is read. */
async function spooled(
  packed: ByteSource,
  record: ZipRecord,
  { files, spool, signal }: Unpacking,
): Promise<OpenEntry> {
  spooledFiles += 1
  const path = join(await spool(), `film-${spooledFiles}`)
  const remove = () => files.removeUnpacked(path)
  try {
    await files.unpackDeflated(packed, path, record.unpackedSize, signal)
    const source = await files.openKept(path)
    const close = async () => {
      await source.close()
      await remove()
    }
    if (source.size !== record.unpackedSize) throw damaged('it has another length than the ZIP says')
    await checkSum(source, record)
    return { source, close }
  } catch (error) {
    await remove()
    throw error
  }
}

function asOpen(source: ByteSource): OpenEntry {
  return { source, close: async () => undefined }
}

async function checkSum(source: ByteSource, { crc }: ZipRecord): Promise<void> {
  let sum = 0
  for (let at = 0; at < source.size; at += CHUNK_BYTES)
    sum = crc32(await source.read(at, Math.min(source.size, at + CHUNK_BYTES)), sum)
  if (sum !== crc) throw damaged('its check sum is another one')
}

async function unpack(packed: Uint8Array, { unpackedSize }: ZipRecord): Promise<Uint8Array> {
  const bytes = await inflate(packed, { maxOutputLength: Math.max(1, unpackedSize) }).catch(
    (cause: unknown) => {
      throw damaged('it cannot be unpacked', cause)
    },
  )
  if (bytes.length !== unpackedSize) throw damaged('it has another length than the ZIP says')
  return bytes
}

function damaged(why: string, cause?: unknown): ServiceError {
  return new ServiceError('unprocessable', `It is damaged in the ZIP: ${why}. Download the ZIP again.`, {
    cause,
  })
}
