import { concatBytes, viewOf } from '@lantern-room/base/bytes'
import type { WallClock } from '../exif/wallClock'

export type ZipFile = { readonly name: string; readonly bytes: Uint8Array }

/** A local time, to the second; years from 1980 to 2107 can be written, others become the nearest. */
export type ZipTime = Omit<WallClock, 'millisecond' | 'offsetMinutes'>

/** 2.0: folders and compression, which every program reads. */
const VERSION = 20
export const UNIX = 3 << 8
export const UTF8_NAMES = 0x800
/** A file with the rights 0644. */
export const REGULAR_FILE = 0o100644 << 16
const MAX_BYTES = 0xffffffff

/** A file of a ZIP: its bytes are in pieces of any kind, which are not looked at. */
export type ZipMember<Piece> = {
  readonly name: string
  readonly size: number
  readonly crc: number
  readonly pieces: readonly Piece[]
}

/**
 * Writes a ZIP without compression: photos and videos do not get any smaller.
 * @returns its bytes in pieces, which are to be sent one after the other; the files' bytes are not copied
 * @throws RangeError as `zipOf`
 * @example
 * const pieces = zipPieces([{ name: 'IMG_1.JPG', bytes: still }, { name: 'IMG_1.MOV', bytes: movie }], takenAt)
 */
export function zipPieces(files: readonly ZipFile[], modified: ZipTime): Uint8Array[] {
  const members = files.map(({ name, bytes }) => ({
    name,
    size: bytes.length,
    crc: crc32(bytes),
    pieces: [bytes],
  }))
  return zipOf(members, modified)
}

/**
 * A ZIP without compression.
 * @returns its pieces: a header before those of each file, and what follows the last one
 * @throws RangeError when there are more than 65,535 files, or 4 GiB
 * @see APPNOTE.TXT 6.3.10, 4.3
 * @example
 * const pieces = zipOf([{ name: 'a.jpg', size: jpeg.length, crc: crc32(jpeg), pieces: [jpeg] }], takenAt)
 * download(new Blob(pieces))
 */
export function zipOf<Piece>(
  members: readonly ZipMember<Piece>[],
  modified: ZipTime,
): (Uint8Array | Piece)[] {
  const all: (Uint8Array | Piece)[] = []
  const directory: Uint8Array[] = []
  let at = 0
  for (const { name, size, crc, pieces } of members) {
    const nameBytes = new TextEncoder().encode(name)
    const common = fields([2, VERSION], [2, UTF8_NAMES], [2, 0], [4, dosTime(modified)], [4, crc])
    const sizes = fields([4, size], [4, size], [2, nameBytes.length], [2, 0])
    all.push(concatBytes([fields([4, 0x04034b50]), common, sizes, nameBytes]), ...pieces)
    directory.push(
      fields([4, 0x02014b50], [2, UNIX | VERSION]),
      common,
      sizes,
      fields([2, 0], [2, 0], [2, 0], [4, REGULAR_FILE], [4, at]),
      nameBytes,
    )
    at += 30 + nameBytes.length + size
  }
  const index = concatBytes(directory)
  const count = members.length
  if (count > 0xffff || at + index.length > MAX_BYTES) throw new RangeError('a ZIP that is too large')
  const end = fields([4, 0x06054b50], [4, 0], [2, count], [2, count], [4, index.length], [4, at], [2, 0])
  return [...all, concatBytes([index, end])]
}

/** A number of a ZIP, and how many bytes it has there. */
export type ZipField = readonly [bytes: 1 | 2 | 4 | 8, value: number]

export function fields(...values: readonly ZipField[]): Uint8Array {
  const bytes = new Uint8Array(values.reduce((size, [length]) => size + length, 0))
  const view = viewOf(bytes)
  let at = 0
  for (const [length, value] of values) {
    if (length === 1) view.setUint8(at, value)
    else if (length === 2) view.setUint16(at, value, true)
    else if (length === 4) view.setUint32(at, value, true)
    else view.setBigUint64(at, BigInt(value), true)
    at += length
  }
  return bytes
}

/** Time in the low 16 bits, date in the high ones; seconds are even. */
export function dosTime({ year, month, day, hour, minute, second }: ZipTime): number {
  if (year < 1980) return dosTime({ year: 1980, month: 1, day: 1, hour: 0, minute: 0, second: 0 })
  const date = ((Math.min(year, 2107) - 1980) << 9) | (month << 5) | day
  return ((date << 16) | (hour << 11) | (minute << 5) | (second >> 1)) >>> 0
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1
  return value >>> 0
})

/**
 * The check sum of bytes.
 * @param before of the bytes before these; @default 0: there are none
 * @see ISO/IEC 13239, annex A: the checksum of ZIP, PNG and gzip
 * @example
 * const whole = crc32(second, crc32(first)) // as crc32 of both, one after the other
 */
export function crc32(bytes: Uint8Array, before = 0): number {
  let crc = before ^ 0xffffffff
  for (let i = 0; i < bytes.length; i++) {
    crc = (CRC_TABLE[(crc ^ (bytes[i] ?? 0)) & 0xff] ?? 0) ^ (crc >>> 8)
  }
  return (crc ^ 0xffffffff) >>> 0
}
