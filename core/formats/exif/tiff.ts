import { asciiBytes, concatBytes, viewOf } from '@lantern-room/base/bytes'

/** One tag of a directory, named after the type of its value. `ifd` becomes the offset of a directory. */
export type TiffTag =
  | { readonly tag: number; readonly byteValues: readonly number[] }
  | { readonly tag: number; readonly ascii: string }
  | { readonly tag: number; readonly short: number }
  | { readonly tag: number; readonly shorts: readonly number[] }
  | { readonly tag: number; readonly long: number }
  | { readonly tag: number; readonly rationals: readonly (readonly [number, number])[] }
  | { readonly tag: number; readonly bytes: Uint8Array }
  | { readonly tag: number; readonly ifd: readonly TiffTag[] }
  /** Bytes that lie outside all directories; the tag holds their offset (the EXIF thumbnail). */
  | { readonly tag: number; readonly blob: Uint8Array }

export const BYTE = 1
export const ASCII = 2
export const SHORT = 3
export const LONG = 4
export const RATIONAL = 5
export const UNDEFINED = 7

/** Bytes of one unit of a value, by its type. */
export const UNIT_SIZES: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]

const HEADER_SIZE = 8

/**
 * Encodes a TIFF structure, little-endian unless told otherwise: a chain of directories, each with its tags in ascending order.
 * Values that do not fit an entry, directories and blobs follow the directory that names them, on even offsets.
 * @see TIFF 6.0, section 2; CIPA DC-008 (Exif 2.32), 4.6
 */
export function encodeTiff(chain: readonly (readonly TiffTag[])[], isLittle = true): Uint8Array {
  const order = asciiBytes(isLittle ? 'II' : 'MM')
  const header = concatBytes([order, numbers(2, isLittle, [42]), numbers(4, isLittle, [HEADER_SIZE])])
  let size = HEADER_SIZE
  const directories = chain.map((tags, i) => {
    const directory = encodeDirectory(tags, size, { hasNext: i + 1 < chain.length, isLittle })
    size += directory.length
    return directory
  })
  return concatBytes([header, ...directories])
}

/**
 * A directory with the values, directories and blobs of its tags.
 * @param start in the structure
 * @param form.hasNext whether another one follows
 */
export function encodeDirectory(
  tags: readonly TiffTag[],
  start: number,
  { hasNext, isLittle }: Readonly<Record<'hasNext' | 'isLittle', boolean>>,
): Uint8Array {
  const entries: Uint8Array[] = []
  const outside: Uint8Array[] = []
  let end = start + 2 + tags.length * 12 + 4
  for (const tag of [...tags].sort((a, b) => a.tag - b.tag)) {
    const { type, count, data } =
      'ifd' in tag || 'blob' in tag ? encodeInner(tag, end, isLittle) : encodeValue(tag, isLittle)
    const isInside = data.length <= 4 && !('blob' in tag)
    const entry = encodeEntry({ tag: tag.tag, type, count, value: isInside ? 0 : end }, isLittle)
    entries.push(entry)
    if (isInside) entry.set(data, 8)
    else {
      outside.push(data, new Uint8Array(data.length % 2))
      end += data.length + (data.length % 2)
    }
  }
  return concatBytes([directoryBytes(entries, hasNext ? end : 0, isLittle), ...outside])
}

/** A directory of these entries. @param next where the next one begins; 0 for none */
export function directoryBytes(entries: readonly Uint8Array[], next: number, isLittle: boolean): Uint8Array {
  const joined = concatBytes([new Uint8Array(2), ...entries, new Uint8Array(4)])
  viewOf(joined).setUint16(0, entries.length, isLittle)
  viewOf(joined).setUint32(joined.length - 4, next, isLittle)
  return joined
}

/** A tag whose value needs no offset of its own. */
export type PlainTag = Exclude<TiffTag, { readonly ifd: unknown } | { readonly blob: unknown }>

/** @param at where it lies */
function encodeInner(tag: Exclude<TiffTag, PlainTag>, at: number, isLittle: boolean): EncodedValue {
  const data = 'ifd' in tag ? encodeDirectory(tag.ifd, at, { hasNext: false, isLittle }) : tag.blob
  return { type: LONG, count: 1, data }
}

type EncodedValue = { readonly type: number; readonly count: number; readonly data: Uint8Array }

export function encodeValue(tag: PlainTag, isLittle: boolean): EncodedValue {
  if ('byteValues' in tag)
    return { type: BYTE, count: tag.byteValues.length, data: Uint8Array.from(tag.byteValues) }
  if ('bytes' in tag) return { type: UNDEFINED, count: tag.bytes.length, data: tag.bytes }
  if ('short' in tag) return { type: SHORT, count: 1, data: numbers(2, isLittle, [tag.short]) }
  if ('shorts' in tag)
    return { type: SHORT, count: tag.shorts.length, data: numbers(2, isLittle, tag.shorts) }
  if ('long' in tag) return { type: LONG, count: 1, data: numbers(4, isLittle, [tag.long]) }
  if ('rationals' in tag)
    return { type: RATIONAL, count: tag.rationals.length, data: numbers(4, isLittle, tag.rationals.flat()) }
  const data = asciiBytes(`${tag.ascii}\0`)
  return { type: ASCII, count: data.length, data }
}

function numbers(size: 2 | 4, isLittle: boolean, values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * size)
  const view = viewOf(bytes)
  values.forEach((value, i) => {
    if (size === 2) view.setUint16(i * 2, value, isLittle)
    else view.setUint32(i * 4, value, isLittle)
  })
  return bytes
}

/** An entry whose value is one byte (type 1), one number of 16 bits (type 3), or a number of 32 bits, which may be the offset of the value. */
export function encodeEntry(
  { tag, type, count, value }: Readonly<Record<'tag' | 'type' | 'count' | 'value', number>>,
  isLittle: boolean,
): Uint8Array {
  const bytes = new Uint8Array(12)
  const view = viewOf(bytes)
  view.setUint16(0, tag, isLittle)
  view.setUint16(2, type, isLittle)
  view.setUint32(4, count, isLittle)
  if (type === BYTE) view.setUint8(8, value)
  else if (type === SHORT) view.setUint16(8, value, isLittle)
  else view.setUint32(8, value, isLittle)
  return bytes
}
