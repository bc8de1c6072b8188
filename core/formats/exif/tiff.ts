import { asciiBytes, viewOf } from '#core/bytes'

/** One tag of a directory, named after the type of its value. `ifd` becomes the offset of a directory. */
export type TiffTag =
  | { readonly tag: number; readonly byteValues: readonly number[] }
  | { readonly tag: number; readonly ascii: string }
  | { readonly tag: number; readonly short: number }
  | { readonly tag: number; readonly long: number }
  | { readonly tag: number; readonly rationals: readonly (readonly [number, number])[] }
  | { readonly tag: number; readonly bytes: Uint8Array }
  | { readonly tag: number; readonly ifd: readonly TiffTag[] }
  /** Bytes that lie outside all directories; the tag holds their offset (the EXIF thumbnail). */
  | { readonly tag: number; readonly blob: Uint8Array }

const BYTE = 1
const ASCII = 2
const SHORT = 3
const LONG = 4
const RATIONAL = 5
const UNDEFINED = 7

const HEADER_SIZE = 8

/**
 * Encodes a little-endian TIFF structure: a chain of directories, each with its tags in ascending order.
 * Values that do not fit an entry, directories and blobs follow the directory that names them, on even offsets.
 * @see TIFF 6.0, section 2; CIPA DC-008 (Exif 2.32), 4.6
 */
export function encodeTiff(chain: readonly (readonly TiffTag[])[]): Uint8Array {
  const bytes = new Uint8Array(HEADER_SIZE + chain.reduce((size, tags) => size + directorySize(tags), 0))
  bytes.set(asciiBytes('II'))
  const view = viewOf(bytes)
  view.setUint16(2, 42, true)
  view.setUint32(4, chain.length > 0 ? HEADER_SIZE : 0, true)

  let at = HEADER_SIZE
  chain.forEach((tags, i) => {
    const next = at + directorySize(tags)
    writeDirectory(bytes, at, tags, i + 1 < chain.length ? next : 0)
    at = next
  })
  return bytes
}

/** A directory with the values, directories and blobs of its tags. */
function directorySize(tags: readonly TiffTag[]): number {
  return tags.reduce((size, tag) => size + outsideSize(tag), entriesSize(tags))
}

function entriesSize(tags: readonly TiffTag[]): number {
  return 2 + tags.length * 12 + 4
}

function outsideSize(tag: TiffTag): number {
  if ('ifd' in tag) return directorySize(tag.ifd)
  if ('blob' in tag) return even(tag.blob.length)
  const { data } = encodeValue(tag)
  return data.length > 4 ? even(data.length) : 0
}

function even(size: number): number {
  return size + (size % 2)
}

function writeDirectory(bytes: Uint8Array, start: number, tags: readonly TiffTag[], next: number): void {
  const view = viewOf(bytes)
  let outside = start + entriesSize(tags)
  view.setUint16(start, tags.length, true)
  const sorted = [...tags].sort((a, b) => a.tag - b.tag)
  sorted.forEach((tag, i) => {
    const { type, count, data } = encodeValue(tag)
    const entry = start + 2 + i * 12
    view.setUint16(entry, tag.tag, true)
    view.setUint16(entry + 2, type, true)
    view.setUint32(entry + 4, count, true)
    if ('ifd' in tag) writeDirectory(bytes, outside, tag.ifd, 0)
    if ('blob' in tag) bytes.set(tag.blob, outside)
    const size = outsideSize(tag)
    if (size > 0) view.setUint32(entry + 8, outside, true)
    bytes.set(data, size > 0 ? outside : entry + 8)
    outside += size
  })
  view.setUint32(start + 2 + tags.length * 12, next, true)
}

function encodeValue(tag: TiffTag): { type: number; count: number; data: Uint8Array } {
  if ('byteValues' in tag)
    return { type: BYTE, count: tag.byteValues.length, data: Uint8Array.from(tag.byteValues) }
  if ('bytes' in tag) return { type: UNDEFINED, count: tag.bytes.length, data: tag.bytes }
  if ('short' in tag) return { type: SHORT, count: 1, data: littleEndian(2, tag.short) }
  if ('long' in tag) return { type: LONG, count: 1, data: littleEndian(4, tag.long) }
  if ('rationals' in tag)
    return { type: RATIONAL, count: tag.rationals.length, data: littleEndian(4, ...tag.rationals.flat()) }
  if ('ascii' in tag) {
    const data = asciiBytes(`${tag.ascii}\0`)
    return { type: ASCII, count: data.length, data }
  }
  return { type: LONG, count: 1, data: new Uint8Array() }
}

function littleEndian(size: 2 | 4, ...values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * size)
  const view = viewOf(bytes)
  values.forEach((value, i) => {
    if (size === 2) view.setUint16(i * 2, value, true)
    else view.setUint32(i * 4, value, true)
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

/** Takes the entry at `at` out of the directory that begins at `start`; further ones move up, values stay. */
export function cutEntry(bytes: Uint8Array, start: number, at: number, isLittle: boolean): void {
  const view = viewOf(bytes)
  const count = view.getUint16(start, isLittle)
  const end = Math.min(bytes.length, start + 2 + count * 12 + 4)
  bytes.copyWithin(at, at + 12, end)
  bytes.fill(0, end - 12, end)
  view.setUint16(start, count - 1, isLittle)
}
