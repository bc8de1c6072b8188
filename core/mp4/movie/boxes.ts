import { asciiBytes, concatBytes, latin1, viewOf } from '@lantern-room/base/bytes'
import { numberAt, type Reading, type Sized, take } from '../source/reading'

export type BoxHeader = {
  /** Four-character code; bytes outside ASCII appear as Latin-1. */
  readonly type: string
  /** 8, or 16 where the size is written with 64 bits. */
  readonly headerSize: number
  /** The size of the whole box, including its header. It may reach beyond the available bytes. */
  readonly size: number
}

export type Box = BoxHeader & {
  /** Where the box begins in the bytes that were read. */
  readonly start: number
  /** What follows the header: a view, not a copy. */
  readonly body: Uint8Array
}

/** More siblings than any real file has. Each costs an object of many times its bytes. */
const MAX_SIBLINGS = 1024

/** The same of a list of items or of their properties, as a HEIC of hundreds of tiles has it. */
export const MAX_LISTED = 16_384

/**
 * Reads the header of the box at `at`, whether or not the box itself is at hand.
 * @param end where a box of size 0 ends, which means "to the end of the file"; by default the end of these bytes
 * @returns undefined when the header is cut, or its size is smaller than the header or beyond 2^53
 * @see ISO/IEC 14496-12, 4.2
 * @example
 * readBoxHeader(mp4, 0)?.type // 'ftyp'
 */
export function readBoxHeader(
  bytes: Uint8Array,
  at: number,
  end: number = bytes.length,
): BoxHeader | undefined {
  if (at < 0 || at + 8 > bytes.length) return undefined
  const view = viewOf(bytes)
  const type = latin1(bytes, at + 4, at + 8)
  const size = view.getUint32(at)
  if (size === 0) return { type, headerSize: 8, size: end - at }
  if (size !== 1) return size < 8 ? undefined : { type, headerSize: 8, size }
  if (at + 16 > bytes.length) return undefined
  const largeSize = Number(view.getBigUint64(at + 8))
  return largeSize < 16 || !Number.isSafeInteger(largeSize)
    ? undefined
    : { type, headerSize: 16, size: largeSize }
}

/**
 * Reads boxes that lie side by side and fill `bytes` exactly.
 * @param maxCount `MAX_LISTED` for lists of items
 * @returns undefined when a size is impossible, a box is cut, bytes are left over, or there are too many
 * @example
 * const types = readBoxes(mp4)?.map(({ type }) => type) // ['ftyp', 'free', 'moov', 'mdat']
 */
export function readBoxes(bytes: Uint8Array, maxCount: number = MAX_SIBLINGS): Box[] | undefined {
  const boxes: Box[] = []
  let start = 0
  while (start < bytes.length) {
    const header = readBoxHeader(bytes, start)
    if (!header || start + header.size > bytes.length || boxes.length === maxCount) return undefined
    const end = start + header.size
    boxes.push({ ...header, start, body: bytes.subarray(start + header.headerSize, end) })
    start = end
  }
  return boxes
}

/**
 * The only box of its type among these; undefined when there is none, or more than one.
 * @example
 * const mdat = onlyBox(readBoxes(mp4) ?? [], 'mdat')?.body
 */
export function onlyBox(boxes: readonly Box[], type: string): Box | undefined {
  const found = boxes.filter((box) => box.type === type)
  return found.length === 1 ? found[0] : undefined
}

/**
 * The boxes inside the only box of its type; none where there is no such box, or it is broken.
 * @example
 * const tracks = childrenOf(readBoxes(mp4) ?? [], 'moov').filter(({ type }) => type === 'trak')
 */
export function childrenOf(boxes: readonly Box[], type: string): readonly Box[] {
  const box = onlyBox(boxes, type)
  return (box && readBoxes(box.body)) ?? []
}

/**
 * A box with a 32-bit size.
 * @throws RangeError when it would not fit 32 bits
 * @example
 * const skipped = encodeBox('free', new Uint8Array(8)) // 16 bytes
 */
export function encodeBox(type: string, ...body: readonly Uint8Array[]): Uint8Array {
  return concatBytes([encodeBoxHeader(type, 8 + body.reduce((size, part) => size + part.length, 0)), ...body])
}

/**
 * The eight bytes that open a box of `size` bytes in all.
 * @throws RangeError when the size does not fit 32 bits
 * @example
 * const parts = [encodeBoxHeader('mdat', 8 + size), { start, end: start + size }]
 */
export function encodeBoxHeader(type: string, size: number): Uint8Array {
  if (size > 0xffffffff) throw new RangeError(`a box ${type} of ${size} bytes does not fit a 32-bit size`)
  const header = new Uint8Array(8)
  viewOf(header).setUint32(0, size)
  header.set(asciiBytes(type), 4)
  return header
}

/**
 * A box whose body begins with a version (8 bits) and flags (24 bits).
 * @throws RangeError as `encodeBox`
 * @example
 * const sync = encodeFullBox('stss', 0, uint32s(1, 31)) // with its count, 1
 */
export function encodeFullBox(
  type: string,
  versionAndFlags: number,
  ...body: readonly Uint8Array[]
): Uint8Array {
  return encodeBox(type, uint32s(versionAndFlags), ...body)
}

/**
 * Numbers of 32 bits, one after the other. @see `uint32List`
 * @example
 * uint32s(0, -1) // 00 00 00 00 ff ff ff ff
 */
export function uint32s(...values: readonly number[]): Uint8Array {
  return uint32List(values)
}

/**
 * Big endian; negative numbers in two's complement. For lists too long to be arguments.
 * @throws RangeError when a number does not fit
 * @example
 * const offsets = uint32List(track.samples.sizes)
 */
export function uint32List(values: ArrayLike<number>): Uint8Array {
  const bytes = new Uint8Array(values.length * 4)
  const view = viewOf(bytes)
  for (let i = 0; i < values.length; i++) {
    const value = numberAt(values, i)
    if (!Number.isInteger(value) || value > 0xffffffff || value < -0x80000000) {
      throw new RangeError(`${value} does not fit 32 bits`)
    }
    view.setUint32(i * 4, value)
  }
  return bytes
}

/** A box in a file that is read in parts. */
export type PlacedBox = BoxHeader & { readonly start: number }

/**
 * Reads the header of the box at `start`, which must end at `end` or before.
 * @returns undefined when the header is cut or impossible, or the box is too long
 * @example
 * const box = yield* readBoxAt(file, clip.offset, file.size)
 */
export function* readBoxAt(file: Sized, start: number, end: number): Reading<PlacedBox | undefined> {
  const header = readBoxHeader(yield* take(file, start, Math.min(end, start + 16)), 0, end - start)
  return header && start + header.size <= end ? { ...header, start } : undefined
}

/**
 * The boxes side by side between `start` and `end`, up to the first that is broken, at most `maxCount`.
 * @example
 * const boxes = yield* readBoxesBetween(file, { start: 0, end: file.size, maxCount: 64 })
 */
export function* readBoxesBetween(
  file: Sized,
  { start, end, maxCount }: { readonly start: number; readonly end: number; readonly maxCount: number },
): Reading<readonly PlacedBox[]> {
  const boxes: PlacedBox[] = []
  for (let at = start; at < end && boxes.length < maxCount; ) {
    const box = yield* readBoxAt(file, at, end)
    if (!box) break
    boxes.push(box)
    at += box.size
  }
  return boxes
}
