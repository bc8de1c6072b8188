import { concatBytes, viewOf } from '#core/bytes'
import { MAKER_NOTE_TAG, USER_COMMENT_TAG, userComment, XIAOMI_MOTION_PHOTO_TAG } from './exif'
import { clearIdentifier } from './makerNote'
import { readExif, readMakerNote } from './readExif'
import { openTiff, type TiffDirectory } from './readTiff'
import { cutEntry, directoryBytes, encodeEntry, encodeTiff, SHORT } from './tiff'

const EXIF_IFD = 0x8769
const ORIENTATION_TAG = 0x0112

/** What becomes of the marks of phone makers. */
type MakerMarks = {
  readonly isXiaomi: boolean
  /** The UserComment to write; undefined = the one that is there stays. */
  readonly comment: string | undefined
  /** Alike. */
  readonly makerNote?: Uint8Array
  /** How EXIF says that the picture is turned, 1 to 8. */
  readonly orientation?: number
}

/** A directory's entries of twelve bytes each, in the byte order of their structure. */
type Entries = readonly Uint8Array[]

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
  const photoBytes = directoryBytes(withEntries(tiff, photo, newPhoto, isLittle), photo.next, isLittle)
  const pointer = encodeEntry({ tag: EXIF_IFD, type: 4, count: 1, value: photoAt }, isLittle)
  const kept = withEntries(tiff, primary, [pointer, ...orientationEntry(marks, isLittle)], isLittle)
  const added = values.map(({ bytes }) => evenBytes(bytes))
  const patched = concatBytes([body, ...added, photoBytes, directoryBytes(kept, primary.next, isLittle)])
  viewOf(patched).setUint32(4, photoAt + photoBytes.length, isLittle)
  return patched
}

/**
 * EXIF without the marks of phone makers: Xiaomi's tag, the UserComment of OPPO's cameras, and unless it stays the identifier by
 * which an iPhone finds a photo's video. All other tags lose nothing, and values stay where they are.
 */
export function clearExif(tiff: Uint8Array, keepsIdentifier: boolean): Uint8Array {
  const cleared = concatBytes([tiff])
  const structure = openTiff(cleared)
  const photoAt = structure?.directory(structure.first).number(EXIF_IFD)
  const isOppos = readExif(cleared)?.userComment?.startsWith('oplus_') === true
  for (const start of [structure?.first, photoAt]) {
    removeEntry(cleared, start, XIAOMI_MOTION_PHOTO_TAG)
    if (isOppos) removeEntry(cleared, start, USER_COMMENT_TAG)
  }
  // A view, which is cleared in its place.
  const note = keepsIdentifier ? undefined : readMakerNote(cleared)
  if (note) clearIdentifier(note)
  return cleared
}

/** Takes an entry out of a directory, and blanks its value. */
function removeEntry(tiff: Uint8Array, start: number | undefined, tag: number): void {
  const structure = openTiff(tiff)
  const directory = structure?.directory(start)
  const at = directory?.entries.get(tag)
  if (!structure || !directory || start === undefined || at === undefined) return
  directory.undefinedBytes(tag)?.fill(0)
  cutEntry(tiff, start, at, structure.isLittle)
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

function evenBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length % 2 === 0 ? bytes : concatBytes([bytes, new Uint8Array(1)])
}

function tagOf(bytes: Uint8Array, isLittle: boolean): number {
  return viewOf(bytes).getUint16(0, isLittle)
}

/** A directory's entries with some added or replaced and without Xiaomi's, in ascending order of their tags. */
function withEntries(tiff: Uint8Array, directory: TiffDirectory, added: Entries, isLittle: boolean): Entries {
  const newTags = new Set([XIAOMI_MOTION_PHOTO_TAG, ...added.map((one) => tagOf(one, isLittle))])
  const old = [...directory.entries.values()].map((at) => tiff.subarray(at, at + 12))
  return [...old.filter((one) => !newTags.has(tagOf(one, isLittle))), ...added].sort(
    (a, b) => tagOf(a, isLittle) - tagOf(b, isLittle),
  )
}
