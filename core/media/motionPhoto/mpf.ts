import { asciiBytes, concatBytes, viewOf, writeUint32 } from '#core/bytes'
import { encodeSegment } from './jpeg'
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
 * The APP2 segment of CIPA's Multi-Picture Format with one image, the primary one; ColorOS looks for it.
 * @param imageBytes of the primary image, from SOI to EOI
 * @returns the segment, marker and length included, of the same size for every `imageBytes`
 * @see CIPA DC-007 (Multi-Picture Format), 5.2; docs/motion-photo.md, "MPF"
 */
export function encodeMpfSegment(imageBytes: number): Uint8Array {
  const entry = new Uint8Array(ENTRY_SIZE)
  writeUint32(entry, 0, PRIMARY_IMAGE)
  writeUint32(entry, 4, imageBytes)
  // The offset of the first image is 0 by definition; it depends on no other image.
  const index = [
    { tag: 0xb000, bytes: asciiBytes('0100') }, // MPFVersion
    { tag: 0xb001, long: 1 }, // NumberOfImages
    { tag: MP_ENTRIES, bytes: entry },
  ]
  return encodeSegment(APP2, concatBytes([MPF_MARK, encodeTiff([index])]))
}

/** Bytes of the whole segment. */
export const MPF_SEGMENT_SIZE = encodeMpfSegment(0).length

/**
 * Adjusts an index to a file whose primary image has another size and lies before the others as it did.
 * @param payload of the APP2 segment, after its mark
 * @param change.primaryBytes of the primary image, now
 * @param change.othersMovedBy bytes by which the other images have moved away from the index
 * @returns undefined when the bytes are no such index
 */
export function patchMpf(
  payload: Uint8Array,
  change: { readonly primaryBytes: number; readonly othersMovedBy: number },
): Uint8Array | undefined {
  const patched = concatBytes([payload])
  const structure = openTiff(patched)
  const entries = structure?.directory(structure.first).undefinedBytes(MP_ENTRIES)
  if (!structure || !entries) return undefined
  const view = viewOf(entries)
  const { isLittle } = structure
  for (let at = 0; at + ENTRY_SIZE <= entries.length; at += ENTRY_SIZE) {
    const offset = view.getUint32(at + 8, isLittle)
    if (at === 0) view.setUint32(at + 4, change.primaryBytes, isLittle)
    else if (offset > 0) view.setUint32(at + 8, offset + change.othersMovedBy, isLittle)
  }
  return patched
}

export type MpfImage = {
  /** Kind and dependencies of the image. */
  readonly attribute: number
  /** Bytes. */
  readonly size: number
  /** From the MPF's TIFF header, `II` or `MM`; 0 for the first image. */
  readonly offset: number
}

/**
 * Reads the images of a Multi-Picture Format index.
 * @param payload of the APP2 segment, after its mark
 * @returns undefined when the bytes are no such index
 */
export function readMpf(payload: Uint8Array): readonly MpfImage[] | undefined {
  const structure = openTiff(payload)
  const entries = structure?.directory(structure.first).undefinedBytes(MP_ENTRIES)
  if (!structure || !entries) return undefined
  const view = viewOf(entries)
  const { isLittle } = structure
  return Array.from({ length: Math.floor(entries.length / ENTRY_SIZE) }, (_, i) => ({
    attribute: view.getUint32(i * ENTRY_SIZE, isLittle),
    size: view.getUint32(i * ENTRY_SIZE + 4, isLittle),
    offset: view.getUint32(i * ENTRY_SIZE + 8, isLittle),
  }))
}
