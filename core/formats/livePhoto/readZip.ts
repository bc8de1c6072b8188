import type { Reading, Sized } from '@lantern-room/mp4/source'
import { readZipDirectory, type ZipRecord, zipRecordStart } from '../zip/zipDirectory'

export type ZipEntry = Pick<ZipRecord, 'name' | 'method' | 'size' | 'unpackedSize' | 'crc'> & {
  /** Where its bytes lie in the ZIP. */
  readonly start: number
}

/** The compression methods that are read here. */
export const STORED = 0
export const DEFLATED = 8

/** The first time that a ZIP can name. */
export const EARLIEST = { year: 1980, month: 1, day: 1, hour: 0, minute: 0, second: 0 } as const

/** A pair, or what a phone exports together; not an archive. */
const LIMITS = { maxEntries: 1000, maxDirectoryBytes: 1024 * 1024 }

/**
 * Lists the files in a ZIP by its directory, with the places of their bytes.
 * @returns undefined when it is none, is damaged, or has more than a thousand files
 */
export function* readZip(file: Sized): Reading<ZipEntry[] | undefined> {
  const records = yield* readZipDirectory(file, LIMITS)
  if (!records) return undefined
  const entries: ZipEntry[] = []
  for (const record of records) {
    const start = yield* zipRecordStart(file, record)
    if (start === undefined) return undefined
    const { name, method, size, unpackedSize, crc } = record
    entries.push({ name, method, start, size, unpackedSize, crc })
  }
  return entries
}
