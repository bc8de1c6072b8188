import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { encodeBox } from '@lantern-room/mp4/boxes'
import { type FileParts, type Patch, patchedParts, sizeOfParts } from '@lantern-room/mp4/source'
import type { Heic } from './heic'
import type { HeicItem } from './heicItems'

/** What the XMP and EXIF items of a HEIC become; undefined = as they are. */
export type HeicMetadata = { readonly xmp: string | undefined; readonly exif: Uint8Array | undefined }

/** Before its TIFF structure, an EXIF item has the distance to it and the mark that it has in a JPEG. */
const EXIF_HEAD = concatBytes([Uint8Array.of(0, 0, 0, 6), asciiBytes('Exif\0\0')])

/**
 * Writes the metadata of a HEIC without moving a byte of its pictures: where it was if it has room there, else into a box
 * `mdat` of its own behind the pictures. The old bytes are blanked.
 * @param end of the boxes of the pictures, in the file: everything behind it is left out
 * @returns undefined when an item is missing, in several pieces or not between the boxes, or its row in `iloc` is too narrow
 * @see ISO/IEC 14496-12, 8.11.3
 */
export function replaceItems(heic: Heic, change: HeicMetadata, end: number): FileParts | undefined {
  const xmp = change.xmp === undefined ? undefined : new TextEncoder().encode(change.xmp)
  const exif = change.exif && concatBytes([EXIF_HEAD, change.exif])
  const patches: Patch[] = []
  const added: Uint8Array[] = []
  const isDone = [[heic.xmpItem, xmp] as const, [heic.exifItem, exif] as const].every(
    ([item, bytes]) => !bytes || replaceItem(item, bytes),
  )
  const parts = isDone ? withPatches(patches, end) : undefined
  return parts && (added.length > 0 ? [...parts, encodeBox('mdat', ...added)] : parts)

  function replaceItem(item: HeicItem | undefined, bytes: Uint8Array): boolean {
    if (!item?.isWhole || item.length > end) return false
    const old = new Uint8Array(item.length)
    const fits = bytes.length <= old.length
    const row = rowOf(item, fits ? item.start : end + 8 + sizeOfParts(added), bytes.length)
    if (fits) old.set(bytes)
    else added.push(bytes)
    patches.push({ offset: item.row.start, bytes: row ?? old }, { offset: item.start, bytes: old })
    return row !== undefined
  }
}

/** A row for an item that lies in the file itself, in one piece. */
function rowOf({ row }: HeicItem, start: number, length: number): Uint8Array | undefined {
  const { methodSize, offsetSize, lengthSize, baseSize, indexSize } = row.form
  const fields: readonly (readonly [size: number, value: number])[] = [
    [methodSize, 0],
    [2, 0],
    [baseSize, offsetSize === 0 ? start : 0],
    [2, 1],
    [indexSize, 0],
    [offsetSize, start],
    [lengthSize, length],
  ]
  const hasRoom = fields.every(([size, value]) => size === 0 || value < 256 ** size)
  if (!hasRoom || lengthSize === 0 || offsetSize + baseSize === 0) return undefined
  return concatBytes(fields.map(([size, value]) => encodeNumber(value, size)))
}

/** Big endian. */
export function encodeNumber(value: number, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, i) => Math.floor(value / 256 ** (size - 1 - i)) % 256)
}

/** @returns undefined when patches overlap or reach behind the end */
function withPatches(patches: readonly Patch[], end: number): FileParts | undefined {
  const sorted = patches.toSorted((a, b) => a.offset - b.offset)
  const isApart = sorted.every(
    ({ offset, bytes }, index) => offset + bytes.length <= (sorted[index + 1]?.offset ?? end),
  )
  return isApart ? patchedParts({ size: end }, sorted) : undefined
}
