import { ServiceError } from '@lantern-room/base'
import {
  DEFLATED,
  LARGE_ZIP,
  readZipDirectory,
  STORED,
  type ZipRecord,
  zipRecordStart,
} from '@lantern-room/formats/files'
import { type ByteSource, bytesSource, readFrom } from '@lantern-room/mp4/source'
import { plainPath } from '../names/folders'
import type { ExportEntry, ExportFiles, ExportProblem, OpenEntry } from './exportEntry'

/** What is not larger is unpacked in memory. */
const MAX_HELD_BYTES = 24 * 1024 * 1024
/** No photo, film or text of an export gets smaller than this. */
const MAX_RATIO = 100
const SMALL_BYTES = 4 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024

/** How a machine unpacks. */
export type Unpacking = {
  readonly crc32: (bytes: Uint8Array, before?: number) => number
  /** @throws anything when the bytes are damaged, or would be more than `mostBytes` */
  readonly inflate: (packed: Uint8Array, mostBytes: number) => Promise<Uint8Array>
  /** Unpacks a film that has no room in memory, for as long as it is open. @param bytes that it says it has: no more are written */
  readonly unpackLarge: (packed: ByteSource, bytes: number) => Promise<OpenEntry>
  readonly partOf: (source: ByteSource, start: number, end: number) => ByteSource
  readonly signal: AbortSignal
}

/**
 * The files in a ZIP, to be read where they lie.
 * @param label of the ZIP, for its own problems
 * @example const { entries, problems } = await zipEntries(blobSource(file), file.name, unpacking)
 */
export async function zipEntries(zip: ByteSource, label: string, opening: Unpacking): Promise<ExportFiles> {
  const records = await readFrom(readZipDirectory(zip, LARGE_ZIP), zip, opening.signal)
  if (!records)
    return refused(label, 'cut', 'The ZIP is cut or damaged: its directory is missing. Download it again.')
  const files = records.filter(({ name }) => !name.endsWith('/'))
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes > zip.size)
    return refused(label, 'unsafe', 'The files in the ZIP lie in one another, which no export does.')
  const entries: ExportEntry[] = []
  const problems: ExportProblem[] = []
  for (const record of files) {
    const path = record.name.replaceAll('\\', '/')
    const problem = problemOf(record, path)
    if (problem === undefined) entries.push(zipEntry(zip, record, path, opening))
    else problems.push(problem)
  }
  return { entries, problems }
}

function refused(path: string, kind: ExportProblem['kind'], reason: string): ExportFiles {
  return { entries: [], problems: [{ path, kind, reason }] }
}

function problemOf(
  { isEncrypted, method, size, unpackedSize }: ZipRecord,
  path: string,
): ExportProblem | undefined {
  const problem = (kind: ExportProblem['kind'], reason: string) => ({ path, kind, reason })
  if (leadsOut(path)) return problem('leadsOut', LEADS_OUT)
  if (isEncrypted) return problem('encrypted', 'It is encrypted. Unpack the ZIP with its password first.')
  if (method !== STORED && method !== DEFLATED)
    return problem(
      'other',
      `It is packed in a way that is not read here (method ${method}). Unpack the ZIP first.`,
    )
  if (method === STORED && size !== unpackedSize) return problem('unsafe', 'The ZIP says two lengths of it.')
  const isBomb = unpackedSize > SMALL_BYTES && unpackedSize > size * MAX_RATIO
  return isBomb ? problem('unsafe', `It would unpack to ${unpackedSize} bytes, of ${size}.`) : undefined
}

export const LEADS_OUT = 'Its name leads out of the export.'

/**
 * Whether a name leads out of the folder that it is in.
 * @example leadsOut('../a.jpg') // true
 */
export function leadsOut(path: string): boolean {
  return path.startsWith('/') || /^[a-z]:/i.test(path) || path.split('/').includes('..')
}

function zipEntry(zip: ByteSource, record: ZipRecord, path: string, unpacking: Unpacking): ExportEntry {
  return {
    path,
    plain: plainPath(path),
    size: record.unpackedSize,
    modifiedMs: undefined,
    original: undefined,
    async open(need) {
      const start = await readFrom(zipRecordStart(zip, record), zip, undefined, 64)
      if (start === undefined) throw damaged('its header is missing')
      const packed = unpacking.partOf(zip, start, start + record.size)
      if (record.method === STORED) {
        if (need === 'whole') await checkSum(packed, record, unpacking)
        return asOpen(packed)
      }
      if (record.unpackedSize > MAX_HELD_BYTES) return unpackedLarge(packed, record, unpacking)
      const bytes = await unpack(packed, record, unpacking)
      if (unpacking.crc32(bytes) !== record.crc) throw damaged('its check sum is another one')
      return asOpen(bytesSource(bytes))
    },
  }
}

async function unpackedLarge(
  packed: ByteSource,
  record: ZipRecord,
  unpacking: Unpacking,
): Promise<OpenEntry> {
  const opened = await unpacking.unpackLarge(packed, record.unpackedSize)
  try {
    if (opened.source.size !== record.unpackedSize) throw damaged('it has another length than the ZIP says')
    await checkSum(opened.source, record, unpacking)
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

function asOpen(source: ByteSource): OpenEntry {
  return { source, close: async () => undefined }
}

async function checkSum(source: ByteSource, { crc }: ZipRecord, { crc32 }: Unpacking): Promise<void> {
  let sum = 0
  for (let at = 0; at < source.size; at += CHUNK_BYTES)
    sum = crc32(await source.read(at, Math.min(source.size, at + CHUNK_BYTES)), sum)
  if (sum !== crc) throw damaged('its check sum is another one')
}

async function unpack(
  packed: ByteSource,
  { unpackedSize }: ZipRecord,
  { inflate }: Unpacking,
): Promise<Uint8Array> {
  const bytes = await inflate(await packed.read(0, packed.size), Math.max(1, unpackedSize)).catch(
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
