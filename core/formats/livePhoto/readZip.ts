import { latin1, viewOf } from '@lantern-room/base/bytes'
import { type Reading, type Sized, take } from '@lantern-room/mp4/source'

export type ZipEntry = {
  readonly name: string
  /** The compression method: `STORED`, `DEFLATED`, or one that is not supported here. */
  readonly method: number
  /** Where its bytes lie in the ZIP. */
  readonly start: number
  readonly size: number
  /** What it says of its bytes without compression. */
  readonly unpackedSize: number
  readonly crc: number
}

export const STORED = 0
export const DEFLATED = 8

/** The first time that a ZIP can name. */
export const EARLIEST = { year: 1980, month: 1, day: 1, hour: 0, minute: 0, second: 0 } as const

const FILE_SIGNATURE = 'PK\x03\x04'
const END_SIGNATURE = 'PK\x05\x06'
const END_SIZE = 22
const MAX_COMMENT = 0xffff
/** A pair, or what a phone exports together; not an archive. */
const MAX_ENTRIES = 1000
const MAX_DIRECTORY_BYTES = 1024 * 1024

/**
 * Whether a file begins as a ZIP does: with the header of its first file.
 * @param head the first 4 bytes, or more
 * @example
 * if (isZip(bytes.subarray(0, 4))) readNow(findLivePair({ size: bytes.length }), bytes)
 */
export function isZip(head: Uint8Array): boolean {
  return latin1(head, 0, FILE_SIGNATURE.length) === FILE_SIGNATURE
}

/**
 * Lists the files in a ZIP by its directory.
 * @returns undefined when it is none, is damaged, has more than a thousand files or more than 4 GiB
 * @see APPNOTE.TXT 6.3.10, 4.3
 */
export function* readZip(file: Sized): Reading<ZipEntry[] | undefined> {
  const tail = yield* take(file, Math.max(0, file.size - END_SIZE - MAX_COMMENT), file.size)
  const endAt = findEnd(tail)
  if (endAt === undefined) return undefined
  const end = viewOf(tail.subarray(endAt))
  const count = end.getUint16(10, true)
  const [size, start] = [end.getUint32(12, true), end.getUint32(16, true)]
  if (count > MAX_ENTRIES || size > MAX_DIRECTORY_BYTES) return undefined
  const directory = yield* take(file, start, start + size)
  const entries: ZipEntry[] = []
  for (let at = 0; entries.length < count; ) {
    const entry = yield* readEntry(file, directory.subarray(at))
    if (!entry) return undefined
    entries.push(entry)
    at += entry.recordSize
  }
  return entries
}

/** Where the end record begins: its comment, which may hold the signature again, reaches to the end of the file. */
function findEnd(tail: Uint8Array): number | undefined {
  const text = latin1(tail)
  const places: number[] = []
  for (let at = text.indexOf(END_SIGNATURE); at >= 0; at = text.indexOf(END_SIGNATURE, at + 1)) {
    if (at + END_SIZE <= tail.length) places.push(at)
  }
  const isLast = (at: number) => at + END_SIZE + viewOf(tail).getUint16(at + 20, true) === tail.length
  // Bytes after the ZIP are no reason to refuse it.
  return places.findLast(isLast) ?? places.at(-1)
}

function* readEntry(
  file: Sized,
  record: Uint8Array,
): Reading<(ZipEntry & { readonly recordSize: number }) | undefined> {
  if (record.length < 46 || latin1(record, 0, 4) !== 'PK\x01\x02') return undefined
  const view = viewOf(record)
  const nameEnd = 46 + view.getUint16(28, true)
  const headerAt = view.getUint32(42, true)
  const header = yield* take(file, headerAt, headerAt + 30)
  if (header.length < 30 || !isZip(header)) return undefined
  const local = viewOf(header)
  const start = headerAt + 30 + local.getUint16(26, true) + local.getUint16(28, true)
  const size = view.getUint32(20, true)
  if (start + size > file.size) return undefined
  return {
    name: new TextDecoder().decode(record.subarray(46, nameEnd)),
    method: view.getUint16(10, true),
    start,
    size,
    unpackedSize: view.getUint32(24, true),
    crc: view.getUint32(16, true),
    recordSize: nameEnd + view.getUint16(30, true) + view.getUint16(32, true),
  }
}
