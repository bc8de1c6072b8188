import { latin1, viewOf } from '@lantern-room/base/bytes'
import { ASCII, BYTE, LONG, RATIONAL, SHORT, UNDEFINED, UNIT_SIZES } from './tiff'

/**
 * Opens a TIFF structure, as EXIF and MPF hold it. Entries that are cut or of an unexpected type count as absent.
 * @returns undefined when the bytes are no TIFF structure of either byte order
 * @see TIFF 6.0, section 2
 */
export function openTiff(tiff: Uint8Array) {
  if (tiff.length < 8) return undefined
  const order = latin1(tiff, 0, 2)
  const isLittle = order === 'II'
  if ((!isLittle && order !== 'MM') || viewOf(tiff).getUint16(2, isLittle) !== 42) return undefined
  return {
    isLittle,
    /** Offset of the first directory. */
    first: viewOf(tiff).getUint32(4, isLittle),
    /** An offset at which no directory can be gives an empty one. */
    directory: (start: number | undefined) => readDirectory(tiff, start, isLittle),
    /** A view of bytes that lie in the structure; undefined when they do not. */
    slice: (start: number | undefined, length: number | undefined) => cut(tiff, start, length),
  }
}

export type TiffDirectory = ReturnType<typeof readDirectory>

/** Offsets count from the first of these bytes. */
export function readDirectory(tiff: Uint8Array, start: number | undefined, isLittle: boolean) {
  const view = viewOf(tiff)
  const { entries, places, nextAt } = readEntries(view, start, isLittle)
  return {
    /** Offsets of the entries' twelve bytes, by tag. */
    entries,
    /** Those of all entries in their order: some programs write a tag twice. */
    places,
    /** Behind the last entry and the offset of the next directory. */
    end: nextAt + 4,
    /** Offset of the next directory; 0 when there is none. */
    next: nextAt + 4 <= tiff.length ? view.getUint32(nextAt, isLittle) : 0,
    /** The first number of a BYTE, SHORT or LONG. */
    number(tag: number): number | undefined {
      const byte = value(tag, BYTE)?.[0]
      if (byte !== undefined) return byte
      const short = value(tag, SHORT)
      if (short?.length) return viewOf(short).getUint16(0, isLittle)
      const long = value(tag, LONG)
      return long?.length ? viewOf(long).getUint32(0, isLittle) : undefined
    },
    /** All numbers of a SHORT. */
    shorts(tag: number): number[] | undefined {
      const bytes = value(tag, SHORT)
      return (
        bytes && Array.from({ length: bytes.length / 2 }, (_, i) => viewOf(bytes).getUint16(i * 2, isLittle))
      )
    },
    /** An ASCII value up to its first zero byte. */
    text(tag: number): string | undefined {
      const bytes = value(tag, ASCII)
      return bytes && latin1(bytes).replace(/\0.*$/s, '').trimEnd()
    },
    /** The quotients of a RATIONAL; of one that is divided by 0, NaN or infinite. */
    rationals(tag: number): number[] {
      const bytes = value(tag, RATIONAL) ?? new Uint8Array()
      const numbers = viewOf(bytes)
      return Array.from({ length: bytes.length / 8 }, (_, i) => {
        return numbers.getUint32(i * 8, isLittle) / numbers.getUint32(i * 8 + 4, isLittle)
      })
    },
    /** A value of type UNDEFINED: a view. */
    undefinedBytes: (tag: number) => value(tag, UNDEFINED),
    value,
  }

  /** A view of a value, of this type if one is given: in the entry itself, or where that points when it has more than four bytes. */
  function value(tag: number, wanted?: number): Uint8Array | undefined {
    const at = entries.get(tag)
    if (at === undefined) return undefined
    const type = view.getUint16(at + 2, isLittle)
    if (type !== (wanted ?? type)) return undefined
    const length = view.getUint32(at + 4, isLittle) * (UNIT_SIZES[type] ?? 0)
    return cut(tiff, length <= 4 ? at + 8 : view.getUint32(at + 8, isLittle), length)
  }
}

function readEntries(tiff: DataView, start: number | undefined, isLittle: boolean) {
  const entries = new Map<number, number>()
  const places: number[] = []
  // Offset 0 is the header itself: no directory.
  if (start === undefined || start < 8 || start + 2 > tiff.byteLength)
    return { entries, places, nextAt: tiff.byteLength }
  const nextAt = start + 2 + tiff.getUint16(start, isLittle) * 12
  for (let at = start + 2; at < nextAt && at + 12 <= tiff.byteLength; at += 12) {
    entries.set(tiff.getUint16(at, isLittle), at)
    places.push(at)
  }
  return { entries, places, nextAt }
}

function cut(
  bytes: Uint8Array,
  start: number | undefined,
  length: number | undefined,
): Uint8Array | undefined {
  if (start === undefined || length === undefined || start + length > bytes.length) return undefined
  return bytes.subarray(start, start + length)
}

/** A directory's entries of twelve bytes each, in the byte order of their structure. */
export type Entries = readonly Uint8Array[]

/** The entries of a directory, without some tags and with others added or replaced, in ascending order. */
export function withEntries(
  tiff: Uint8Array,
  directory: TiffDirectory,
  { added, dropped }: { readonly added: Entries; readonly dropped: readonly number[] },
  isLittle: boolean,
): Entries {
  const tagOf = (entry: Uint8Array) => viewOf(entry).getUint16(0, isLittle)
  const gone = new Set([...dropped, ...added.map(tagOf)])
  const old = directory.places.map((at) => tiff.slice(at, at + 12))
  return [...old.filter((one) => !gone.has(tagOf(one))), ...added].sort((a, b) => tagOf(a) - tagOf(b))
}

/** Takes an entry out of the directory that begins at `start`, and blanks its value. Further entries move up, other values stay. */
export function removeEntry(
  tiff: Uint8Array,
  start: number | undefined,
  tag: number,
  isLittle: boolean,
): void {
  const directory = readDirectory(tiff, start, isLittle)
  const at = directory.entries.get(tag)
  if (start === undefined || at === undefined) return
  directory.value(tag)?.fill(0)
  const view = viewOf(tiff)
  const end = Math.min(tiff.length, directory.end)
  tiff.copyWithin(at, at + 12, end)
  tiff.fill(0, end - 12, end)
  view.setUint16(start, view.getUint16(start, isLittle) - 1, isLittle)
}
