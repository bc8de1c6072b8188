import { concatBytes, viewOf } from '#core/bytes'
import type { Size } from '../jpeg/jpegFrame'
import { MAKER_NOTE_TAG, USER_COMMENT_TAG, userComment, XIAOMI_MOTION_PHOTO_TAG } from './exif'
import { clearIdentifier } from './makerNote'
import { readExif, readMakerNote } from './readExif'
import { type Entries, openTiff, removeEntry, withEntries } from './readTiff'
import { directoryBytes, encodeEntry, encodeTiff, LONG, SHORT } from './tiff'

const EXIF_IFD = 0x8769
const ORIENTATION_TAG = 0x0112
/** Of IFD0, where few cameras write them, and of ExifIFD. */
const IMAGE_SIDES = { width: 0x0100, height: 0x0101 }
const PIXEL_SIDES = { width: 0xa002, height: 0xa003 }

/** What becomes of the marks of phone makers. */
type MakerMarks = {
  readonly isXiaomi: boolean
  /** The UserComment to write; undefined = the one that is there stays. */
  readonly comment: string | undefined
  /** Alike. */
  readonly makerNote?: Uint8Array
  /** How EXIF says that the picture is turned, 1 to 8. */
  readonly orientation?: number
  /** Pixels of the picture as it is stored. */
  readonly size?: Size
}

/**
 * Writes the marks of phone makers into EXIF, or takes them out; Xiaomi's is taken out of IFD0 in either case, where it
 * was once written. Every other tag and all values stay where they are, so that a phone's MakerNote is not damaged: the
 * two directories that change are written anew at the end.
 * @param tiff the TIFF structure of the EXIF segment; undefined where there is none
 * @returns undefined when it is no TIFF structure or its first directory is empty
 */
export function patchExif(tiff: Uint8Array | undefined, marks: MakerMarks): Uint8Array | undefined {
  const values = valuesOf(marks)
  const xiaomi = marks.isXiaomi ? [{ tag: XIAOMI_MOTION_PHOTO_TAG, byteValues: [1] }] : []
  if (tiff === undefined) {
    return encodeTiff([[{ tag: EXIF_IFD, ifd: [...xiaomi, ...values] }]])
  }
  const structure = openTiff(tiff)
  if (!structure) return undefined
  const { isLittle } = structure
  const primary = structure.directory(structure.first)
  const photo = structure.directory(primary.number(EXIF_IFD))
  if (primary.entries.size === 0) return undefined

  // Directories and values begin at even offsets.
  const body = evenBytes(concatBytes([tiff]))
  const newPhoto = xiaomi.map(({ tag }) => encodeEntry({ tag, type: 1, count: 1, value: 1 }, isLittle))
  let photoAt = body.length
  for (const { tag, bytes } of values) {
    newPhoto.push(encodeEntry({ tag, type: 7, count: bytes.length, value: photoAt }, isLittle))
    photoAt += evenBytes(bytes).length
  }
  newPhoto.push(...sideEntries(marks, PIXEL_SIDES, isLittle))
  const dropped = [XIAOMI_MOTION_PHOTO_TAG]
  const newEntries = withEntries(tiff, photo, { added: newPhoto, dropped }, isLittle)
  const photoBytes = directoryBytes(newEntries, photo.next, isLittle)
  const pointer = encodeEntry({ tag: EXIF_IFD, type: 4, count: 1, value: photoAt }, isLittle)
  const sides = primary.entries.has(IMAGE_SIDES.width) ? sideEntries(marks, IMAGE_SIDES, isLittle) : []
  const added = [pointer, ...orientationEntry(marks, isLittle), ...sides]
  const kept = withEntries(tiff, primary, { added, dropped }, isLittle)
  const written = values.map(({ bytes }) => evenBytes(bytes))
  const patched = concatBytes([body, ...written, photoBytes, directoryBytes(kept, primary.next, isLittle)])
  viewOf(patched).setUint32(4, photoAt + photoBytes.length, isLittle)
  return patched
}

/**
 * EXIF without the marks of phone makers: Xiaomi's tag, the UserComment of OPPO's cameras, and unless it stays the identifier by
 * which an iPhone finds a photo's video. All other tags lose nothing, and values stay where they are.
 */
export function clearExif(tiff: Uint8Array, keepsIdentifier: boolean): Uint8Array {
  const cleared = concatBytes([tiff])
  const { first, isLittle, directory } = openTiff(cleared) ?? {}
  if (!directory || isLittle === undefined) return cleared
  const isOppos = readExif(cleared)?.userComment?.startsWith('oplus_') === true
  for (const start of [first, directory(first).number(EXIF_IFD)]) {
    removeEntry(cleared, start, XIAOMI_MOTION_PHOTO_TAG, isLittle)
    if (isOppos) removeEntry(cleared, start, USER_COMMENT_TAG, isLittle)
  }
  // A view, which is cleared in its place.
  const note = keepsIdentifier ? undefined : readMakerNote(cleared)
  if (note) clearIdentifier(note)
  return cleared
}

/** What is written as a value of its own. */
function valuesOf({ comment, makerNote }: MakerMarks) {
  return [
    ...(comment === undefined ? [] : [{ tag: USER_COMMENT_TAG, bytes: userComment(comment) }]),
    ...(makerNote ? [{ tag: MAKER_NOTE_TAG, bytes: makerNote }] : []),
  ]
}

function orientationEntry({ orientation }: MakerMarks, isLittle: boolean): Entries {
  if (orientation === undefined) return []
  return [encodeEntry({ tag: ORIENTATION_TAG, type: SHORT, count: 1, value: orientation }, isLittle)]
}

function sideEntries({ size }: MakerMarks, tags: typeof PIXEL_SIDES, isLittle: boolean): Entries {
  if (!size) return []
  return (['width', 'height'] as const).map((side) =>
    encodeEntry({ tag: tags[side], type: LONG, count: 1, value: size[side] }, isLittle),
  )
}

function evenBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length % 2 === 0 ? bytes : concatBytes([bytes, new Uint8Array(1)])
}
