import { asciiBytes, concatBytes, viewOf } from '@lantern-room/base/bytes'
import { encodeSegment } from '../jpeg/jpeg'
import { openTiff } from './readTiff'
import { encodeTiff } from './tiff'

export const APP2 = 0xe2

export const MPF_MARK = asciiBytes('MPF\0')

/** Individual image attribute: a JPEG, the Baseline MP Primary Image. */
const PRIMARY_IMAGE = 0x030000

/** The tag MPEntry. */
const MP_ENTRIES = 0xb002

const ENTRY_SIZE = 16

/**
 * The APP2 segment of CIPA's Multi-Picture Format; ColorOS looks for it, and readers of gain maps find them by it.
 * @param imageBytes of the primary image, from SOI to EOI
 * @param otherBytes of an image right after it; 0 or undefined: there is none
 * @param end of the segment in the file
 * @param isLittle the byte order, best that of the photo's EXIF: segments of some makers that follow are read in the one read last
 * @returns the segment, marker and length included, of the same size for all numbers
 * @see CIPA DC-007 (Multi-Picture Format), 5.2; docs/motion-photo.md, "MPF"
 */
export function placeMpfSegment(
  imageBytes: number,
  otherBytes: number | undefined,
  end: number,
  isLittle = true,
): Uint8Array {
  const count = otherBytes ? 2 : 1
  const entries = new Uint8Array(ENTRY_SIZE * count)
  const inEntries = viewOf(entries)
  inEntries.setUint32(0, PRIMARY_IMAGE, isLittle)
  inEntries.setUint32(4, imageBytes, isLittle)
  // The offset of the first image is 0 by definition; it depends on no other image.
  // The attribute of a further image, such as a gain map, is 0, too.
  if (otherBytes) inEntries.setUint32(ENTRY_SIZE + 4, otherBytes, isLittle)
  const index = [
    { tag: 0xb000, bytes: asciiBytes('0100') }, // MPFVersion
    { tag: 0xb001, long: count }, // NumberOfImages
    { tag: MP_ENTRIES, bytes: entries },
  ]
  const tiff = encodeTiff([index], isLittle)
  // Before the last four bytes, and counted from the start of this structure.
  if (otherBytes) viewOf(tiff).setUint32(tiff.length - 8, imageBytes - (end - tiff.length), isLittle)
  return encodeSegment(APP2, concatBytes([MPF_MARK, tiff]))
}

/** Bytes from the segment's begin to its TIFF header: marker, length, mark. */
export const MPF_HEADER_OFFSET = 4 + MPF_MARK.length

function openEntries(payload: Uint8Array) {
  const structure = openTiff(payload)
  const entries = structure?.directory(structure.first).undefinedBytes(MP_ENTRIES)
  return structure && entries && { view: viewOf(entries), isLittle: structure.isLittle }
}

/**
 * Adjusts an index to a file whose primary image has another size and lies before the others as it did.
 * @param payload of the APP2 segment, after its mark
 * @param change.primaryBytes of the primary image, now
 * @param change.othersMovedBy bytes by which another image has moved away from the index, by where it lay
 * @returns undefined when the bytes are no such index
 */
export function patchMpf(
  payload: Uint8Array,
  change: { readonly primaryBytes: number; readonly othersMovedBy: (offset: number) => number },
): Uint8Array | undefined {
  const patched = concatBytes([payload])
  const { view, isLittle } = openEntries(patched) ?? {}
  if (!view) return undefined
  for (let at = 0; at + ENTRY_SIZE <= view.byteLength; at += ENTRY_SIZE) {
    const offset = view.getUint32(at + 8, isLittle)
    if (at === 0) view.setUint32(at + 4, change.primaryBytes, isLittle)
    else if (offset > 0) view.setUint32(at + 8, offset + change.othersMovedBy(offset), isLittle)
  }
  return patched
}

/**
 * Reads the images of a Multi-Picture Format index.
 * @param payload of the APP2 segment, after its mark
 * @returns undefined when the bytes are no such index
 */
export function readMpf(payload: Uint8Array) {
  const { view, isLittle } = openEntries(payload) ?? {}
  if (!view) return undefined
  return Array.from({ length: Math.floor(view.byteLength / ENTRY_SIZE) }, (_, i) => ({
    /** Bytes. */
    size: view.getUint32(i * ENTRY_SIZE + 4, isLittle),
    /** From the MPF's TIFF header, `II` or `MM`; 0 for the first image. */
    offset: view.getUint32(i * ENTRY_SIZE + 8, isLittle),
  }))
}
