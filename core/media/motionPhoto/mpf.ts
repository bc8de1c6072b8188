import { asciiBytes, concatBytes, viewOf, writeUint32 } from '#core/bytes'
import { encodeSegment } from './jpeg'
import { openTiff } from './readTiff'
import { encodeTiff } from './tiff'

export const APP2 = 0xe2

export const MPF_MARK = asciiBytes('MPF\0')

/** Individual image attribute: a JPEG, the Baseline MP Primary Image. */
const PRIMARY_IMAGE = 0x030000

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
    { tag: 0xb002, bytes: entry }, // MPEntry
  ]
  return encodeSegment(APP2, concatBytes([MPF_MARK, encodeTiff([index])]))
}

/** Bytes of the whole segment. */
export const MPF_SEGMENT_SIZE = encodeMpfSegment(0).length

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
  const entries = structure?.directory(structure.first).undefinedBytes(0xb002)
  if (!structure || !entries) return undefined
  const view = viewOf(entries)
  const { isLittle } = structure
  return Array.from({ length: Math.floor(entries.length / ENTRY_SIZE) }, (_, i) => ({
    attribute: view.getUint32(i * ENTRY_SIZE, isLittle),
    size: view.getUint32(i * ENTRY_SIZE + 4, isLittle),
    offset: view.getUint32(i * ENTRY_SIZE + 8, isLittle),
  }))
}
