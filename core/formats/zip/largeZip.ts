import { concatBytes } from '@lantern-room/base/bytes'
import { dosTime, fields, REGULAR_FILE, UNIX, UTF8_NAMES, type ZipField, type ZipTime } from './zip'

/** A file of a ZIP of any size. */
export type LargeZipMember = {
  readonly name: string
  readonly size: number
  readonly crc: number
  /** Where its header lies in the ZIP. */
  readonly headerAt: number
  readonly modified: ZipTime
  /** Unix time in milliseconds. */
  readonly modifiedMs: number
}

/** 4.5: files and ZIPs of more than 4 GiB. */
const VERSION = 45
const [MOST_16, MOST_32] = [0xffff, 0xffffffff]
const [ZIP64_FIELD, TIME_FIELD] = [1, 0x5455]

/**
 * The header before the bytes of a file that is not compressed. It has the same length whatever the check sum is.
 * @see APPNOTE.TXT 6.3.10, 4.3.7
 * @example
 * const header = largeZipHeader({ name, size, crc, headerAt: 0, modified, modifiedMs })
 */
export function largeZipHeader(member: LargeZipMember): Uint8Array {
  const name = new TextEncoder().encode(member.name)
  const isLarge = member.size >= MOST_32
  const extra = concatBytes([
    timeField(member),
    ...(isLarge ? [fields([2, ZIP64_FIELD], [2, 16], [8, member.size], [8, member.size])] : []),
  ])
  return concatBytes([
    fields([4, 0x04034b50]),
    commonFields(member, isLarge),
    fields([2, name.length], [2, extra.length]),
    name,
    extra,
  ])
}

/**
 * What follows the last file of a ZIP.
 * @param at bytes before it
 * @see APPNOTE.TXT 6.3.10, 4.3.12 to 4.3.16
 * @example
 * const end = largeZipDirectory(members, at)
 */
export function largeZipDirectory(members: readonly LargeZipMember[], at: number): Uint8Array {
  const directory = concatBytes(members.map(recordOf))
  const count = members.length
  const size = directory.length
  const isLarge = count >= MOST_16 || size >= MOST_32 || at >= MOST_32
  const large = isLarge
    ? [
        fields([4, 0x06064b50], [8, 44], [2, UNIX | VERSION], [2, VERSION], [4, 0], [4, 0]),
        fields([8, count], [8, count], [8, size], [8, at]),
        fields([4, 0x07064b50], [4, 0], [8, at + size], [4, 1]),
      ]
    : []
  const shownCount = Math.min(count, MOST_16)
  const end = fields(
    [4, 0x06054b50],
    [4, 0],
    [2, shownCount],
    [2, shownCount],
    [4, Math.min(size, MOST_32)],
    [4, Math.min(at, MOST_32)],
    [2, 0],
  )
  return concatBytes([directory, ...large, end])
}

function recordOf(member: LargeZipMember): Uint8Array {
  const { size, headerAt } = member
  const name = new TextEncoder().encode(member.name)
  const [isLarge, isFar] = [size >= MOST_32, headerAt >= MOST_32]
  const large: ZipField[] = []
  if (isLarge) large.push([8, size], [8, size])
  if (isFar) large.push([8, headerAt])
  const extra = concatBytes([
    timeField(member),
    ...(large.length > 0 ? [fields([2, ZIP64_FIELD], [2, large.length * 8], ...large)] : []),
  ])
  return concatBytes([
    fields([4, 0x02014b50], [2, UNIX | VERSION]),
    commonFields(member, isLarge),
    fields([2, name.length], [2, extra.length], [2, 0], [2, 0], [2, 0], [4, REGULAR_FILE]),
    fields([4, Math.min(headerAt, MOST_32)]),
    name,
    extra,
  ])
}

function commonFields({ size, crc, modified }: LargeZipMember, isLarge: boolean): Uint8Array {
  const shown = isLarge ? MOST_32 : size
  return fields(
    [2, VERSION],
    [2, UTF8_NAMES],
    [2, 0],
    [4, dosTime(modified)],
    [4, crc],
    [4, shown],
    [4, shown],
  )
}

/** The exact time, which the one of DOS has without its zone. Later ones than 2038 and earlier than 1901 have no room. */
function timeField({ modifiedMs }: LargeZipMember): Uint8Array {
  const seconds = Math.floor(modifiedMs / 1000)
  return seconds === (seconds | 0)
    ? fields([2, TIME_FIELD], [2, 5], [1, 1], [4, seconds >>> 0])
    : new Uint8Array()
}
