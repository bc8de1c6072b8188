import { latin1, viewOf } from '@lantern-room/base/bytes'
import { numberReader, type Reading, type Sized, take } from '@lantern-room/mp4/source'

/** A file in a ZIP, as the directory at its end lists it. */
export type ZipRecord = {
  readonly name: string
  /** How its bytes are packed: 0 not at all, 8 deflated. */
  readonly method: number
  readonly isEncrypted: boolean
  /** Where its own header lies in the ZIP, before its bytes. */
  readonly headerAt: number
  /** Bytes in the ZIP, and without compression. */
  readonly size: number
  readonly unpackedSize: number
  readonly crc: number
}

export type ZipLimits = { readonly maxEntries: number; readonly maxDirectoryBytes: number }

/** Exports of clouds: a million files. */
export const LARGE_ZIP: ZipLimits = { maxEntries: 1_000_000, maxDirectoryBytes: 256 * 1024 * 1024 }

const FILE_SIGNATURE = 'PK\x03\x04'
const RECORD_SIGNATURE = 'PK\x01\x02'
const END_SIGNATURE = 'PK\x05\x06'
const END_64_SIGNATURE = 'PK\x06\x06'
const LOCATOR_SIGNATURE = 'PK\x06\x07'
const END_SIZE = 22
const END_64_SIZE = 56
const LOCATOR_SIZE = 20
const MAX_COMMENT = 0xffff
const RECORD_SIZE = 46
const HEADER_SIZE = 30
/** In place of a number that is in a field of ZIP64. */
const [ELSEWHERE_16, ELSEWHERE_32] = [0xffff, 0xffffffff]
const ZIP64_FIELD = 1
const ENCRYPTED = 1
const UTF8_NAME = 0x800

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
 * Lists the files in a ZIP by its directory, also one of more than 4 GiB. What is packed is not looked at.
 * @returns undefined when it is none, is cut or damaged, or has more than the limits allow
 * @see APPNOTE.TXT 6.3.10, 4.3
 * @example
 * const records = await readFrom(readZipDirectory(source, LARGE_ZIP), source)
 */
export function* readZipDirectory(file: Sized, limits: ZipLimits): Reading<ZipRecord[] | undefined> {
  const place = yield* findDirectory(file)
  if (!place || place.count > limits.maxEntries || place.size > limits.maxDirectoryBytes) return undefined
  const directory = yield* take(file, place.start, place.start + place.size)
  const records: ZipRecord[] = []
  for (let at = 0; records.length < place.count; ) {
    const found = readRecord(directory.subarray(at))
    if (!found) return undefined
    records.push(found.record)
    at += found.recordSize
  }
  return records
}

/**
 * Where the bytes of a file begin in its ZIP.
 * @returns undefined when its header is missing, or its bytes do not lie in the ZIP
 * @example
 * const start = await readFrom(zipRecordStart(source, record), source)
 */
export function* zipRecordStart(file: Sized, { headerAt, size }: ZipRecord): Reading<number | undefined> {
  const header = yield* take(file, headerAt, headerAt + HEADER_SIZE)
  if (header.length < HEADER_SIZE || !isZip(header)) return undefined
  const local = viewOf(header)
  const start = headerAt + HEADER_SIZE + local.getUint16(26, true) + local.getUint16(28, true)
  return start + size > file.size ? undefined : start
}

type Directory = { readonly count: number; readonly size: number; readonly start: number }

function* findDirectory(file: Sized): Reading<Directory | undefined> {
  const tailAt = Math.max(0, file.size - END_SIZE - MAX_COMMENT)
  const tail = yield* take(file, tailAt, file.size)
  const endAt = findEnd(tail)
  if (endAt === undefined) return undefined
  const end = viewOf(tail.subarray(endAt))
  const plain = {
    count: end.getUint16(10, true),
    size: end.getUint32(12, true),
    start: end.getUint32(16, true),
  }
  const isElsewhere =
    plain.count === ELSEWHERE_16 || plain.size === ELSEWHERE_32 || plain.start === ELSEWHERE_32
  if (!isElsewhere) return plain
  const locator = yield* take(file, tailAt + endAt - LOCATOR_SIZE, tailAt + endAt)
  if (latin1(locator, 0, 4) !== LOCATOR_SIGNATURE) return plain
  const largeAt = largeNumber(locator, 8)
  const large = yield* take(file, largeAt, largeAt + END_64_SIZE)
  if (large.length < END_64_SIZE || latin1(large, 0, 4) !== END_64_SIGNATURE) return undefined
  return { count: largeNumber(large, 32), size: largeNumber(large, 40), start: largeNumber(large, 48) }
}

/** 64 bits, little endian. */
function largeNumber(bytes: Uint8Array, at: number): number {
  return numberReader(bytes.slice(at, at + 8).reverse(), 0)(8)
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

function readRecord(
  bytes: Uint8Array,
): { readonly record: ZipRecord; readonly recordSize: number } | undefined {
  if (bytes.length < RECORD_SIZE || latin1(bytes, 0, 4) !== RECORD_SIGNATURE) return undefined
  const view = viewOf(bytes)
  const nameEnd = RECORD_SIZE + view.getUint16(28, true)
  const extraEnd = nameEnd + view.getUint16(30, true)
  const flags = view.getUint16(8, true)
  const [unpackedSize = 0, size = 0, headerAt = 0] = withLargeNumbers(
    [view.getUint32(24, true), view.getUint32(20, true), view.getUint32(42, true)],
    bytes.subarray(nameEnd, extraEnd),
  )
  if (!Number.isSafeInteger(unpackedSize + size + headerAt)) return undefined
  const record = {
    name: nameOf(bytes.subarray(RECORD_SIZE, nameEnd), flags),
    method: view.getUint16(10, true),
    isEncrypted: (flags & ENCRYPTED) !== 0,
    headerAt,
    size,
    unpackedSize,
    crc: view.getUint32(16, true),
  }
  return { record, recordSize: extraEnd + view.getUint16(32, true) }
}

/** Numbers of which those that have no room are in a field of their own, in this order. */
function withLargeNumbers(numbers: readonly number[], extra: Uint8Array): readonly number[] {
  let at = 0
  const view = viewOf(extra)
  while (at + 4 <= extra.length && view.getUint16(at, true) !== ZIP64_FIELD)
    at += 4 + view.getUint16(at + 2, true)
  at += 4
  return numbers.map((number) => {
    if (number !== ELSEWHERE_32 || at + 8 > extra.length) return number
    at += 8
    return largeNumber(extra, at - 8)
  })
}

/** Old programs write names in the letters of their machine: what is no UTF-8 is read as Latin-1, so that no two become one. */
function nameOf(bytes: Uint8Array, flags: number): string {
  const name = new TextDecoder().decode(bytes)
  return name.includes('\ufffd') && (flags & UTF8_NAME) === 0 ? latin1(bytes) : name
}
