import { concatBytes, viewOf } from '@lantern-room/base/bytes'
import { walkJpeg } from '../jpeg/jpeg'
import { MAKER_NOTE_TAG, USER_COMMENT_TAG, userComment, XIAOMI_MOTION_PHOTO_TAG } from './exif'
import { clearIdentifier } from './makerNote'
import { readExif, readMakerNote } from './readExif'
import { openTiff, removeEntry, type TiffDirectory, withEntries } from './readTiff'
import { directoryBytes, encodeEntry, encodeTiff, encodeValue, type PlainTag } from './tiff'

export const EXIF_IFD = 0x8769
const ORIENTATION_TAG = 0x0112
/** Of IFD1: where its JPEG lies, and its bytes. */
const [THUMBNAIL_AT, THUMBNAIL_BYTES] = [0x0201, 0x0202]
const [WIDTH, HEIGHT] = [0x0100, 0x0101]
/** Of IFD1, too: what says where its pixels lie if they are no JPEG. */
const [STRIPS_AT, STRIP_BYTES] = [0x0111, 0x0117]
const PLAIN_THUMBNAIL = [STRIPS_AT, 0x0115, 0x0116, STRIP_BYTES]

/** What becomes of the marks of phone makers. */
export type ExifMarks = {
  readonly isXiaomi: boolean
  /** The UserComment to write; undefined = the one that is there stays. */
  readonly comment: string | undefined
  /** Alike. */
  readonly makerNote?: Uint8Array
  /** How EXIF says that the picture is turned, 1 to 8. */
  readonly orientation?: number
  /** What else is changed, by what is there. */
  readonly changesOf?: (directories: {
    readonly primary: TiffDirectory
    readonly photo: TiffDirectory
  }) => ExifChanges
  /** A JPEG that is shown instead of the thumbnail, where there is one; `none`: it is taken out. Undefined = it stays. */
  readonly thumbnail?: Uint8Array | 'none' | undefined
  /** Whether the place of a thumbnail that goes is used, for EXIF that is as large as a segment. @default it stays empty */
  readonly usesGap?: boolean
}

/** Tags that are set in a directory, and such as are taken out. */
export type DirectoryChange = { readonly set: readonly PlainTag[]; readonly dropped: readonly number[] }
export type ExifChanges = { readonly primary: DirectoryChange; readonly photo: DirectoryChange }

/**
 * Writes the marks of phone makers into EXIF, or takes them out, and changes tags; Xiaomi's is taken out of IFD0 in either case, where it
 * was once written. Every other tag and all values stay where they are, so that a phone's MakerNote is not damaged: the
 * directories that change are written anew at the end (docs/decisions.md, D180), and a value is written over the old one where it is as long.
 * @param tiff the TIFF structure of the EXIF segment; undefined where there is none
 * @returns undefined when it is no TIFF structure or its first directory is empty
 */
export function patchExif(tiff: Uint8Array | undefined, marks: ExifMarks): Uint8Array | undefined {
  const values = valuesOf(marks)
  const xiaomi: PlainTag[] = marks.isXiaomi ? [{ tag: XIAOMI_MOTION_PHOTO_TAG, byteValues: [1] }] : []
  if (tiff === undefined) {
    return encodeTiff([[{ tag: EXIF_IFD, ifd: [...xiaomi, ...values] }]])
  }
  // Directories and values begin at even offsets.
  const { bytes, gap } = withoutThumbnail(tiff, marks)
  const body = evenBytes(bytes)
  const structure = openTiff(body)
  if (!structure) return undefined
  const { isLittle } = structure
  const primary = structure.directory(structure.first)
  const photo = structure.directory(primary.number(EXIF_IFD))
  if (primary.entries.size === 0) return undefined

  const changes = marks.changesOf?.({ primary, photo })
  const end = createEnd(body, marks.usesGap ? gap : undefined, isLittle)
  const next = end.thumbnail(structure.directory(primary.next), marks) ?? primary.next
  const photoAt = end.directory(photo, photo.next, {
    set: [...values, ...xiaomi, ...(changes?.photo.set ?? [])],
    dropped: [XIAOMI_MOTION_PHOTO_TAG, ...(changes?.photo.dropped ?? [])],
  })
  const primaryAt = end.directory(primary, next, {
    set: [{ tag: EXIF_IFD, long: photoAt }, ...orientationTag(marks), ...(changes?.primary.set ?? [])],
    dropped: [XIAOMI_MOTION_PHOTO_TAG, ...(changes?.primary.dropped ?? [])],
  })
  const patched = concatBytes([body, ...end.written])
  viewOf(patched).setUint32(4, primaryAt, isLittle)
  return patched
}

/**
 * What is written behind a structure.
 * @param body of an even length
 * @param gap bytes of it that nothing refers to
 */
function createEnd(body: Uint8Array, gap: Gap | undefined, isLittle: boolean) {
  const written: Uint8Array[] = []
  let at = body.length
  let free = gap ? gap.start + (gap.start % 2) : 0
  return { written, directory, thumbnail }

  /** @returns where it lies */
  function write(bytes: Uint8Array): number {
    if (gap && free + bytes.length <= gap.end) {
      body.set(bytes, free)
      free += bytes.length + (bytes.length % 2)
      return free - bytes.length - (bytes.length % 2)
    }
    const place = at
    written.push(evenBytes(bytes))
    at += bytes.length + (bytes.length % 2)
    return place
  }

  /** The entry of a tag, whose value is written if it has no room in it. */
  function entryOf(tag: PlainTag): Uint8Array {
    const { type, count, data } = encodeValue(tag, isLittle)
    const value = data.length > 4 ? write(data) : 0
    const entry = encodeEntry({ tag: tag.tag, type, count, value }, isLittle)
    if (data.length <= 4) entry.set(data, 8)
    return entry
  }

  /** Writes a directory with its new values before it. @returns where it lies */
  function directory(old: TiffDirectory, next: number, change: DirectoryChange): number {
    const set = new Map(change.set.map((tag) => [tag.tag, tag]))
    const added = [...set.values()].filter((tag) => !writeOver(old, tag, isLittle)).map(entryOf)
    const dropped = change.dropped.filter((tag) => !set.has(tag))
    return write(directoryBytes(withEntries(body, old, { added, dropped }, isLittle), next, isLittle))
  }

  /** @returns where the directory of a thumbnail lies that is shown instead; undefined where all stays as it is */
  function thumbnail(old: TiffDirectory, { thumbnail: jpeg, orientation }: ExifMarks) {
    // A broken pointer may lead to anything.
    if (jpeg === undefined || ![THUMBNAIL_AT, STRIPS_AT].some((tag) => old.entries.has(tag))) return undefined
    if (jpeg === 'none') return 0
    const { frame } = walkJpeg(jpeg, true) ?? {}
    // What it says of its pixels beyond need, it says of the new ones.
    const said = [
      [WIDTH, frame?.width],
      [HEIGHT, frame?.height],
      [ORIENTATION_TAG, orientation],
    ] as const
    const set = [
      { tag: 0x0103, short: 6 },
      ...said.flatMap(([tag, short]) => (short && old.entries.has(tag) ? [{ tag, short }] : [])),
      { tag: THUMBNAIL_AT, long: write(jpeg) },
      { tag: THUMBNAIL_BYTES, long: jpeg.length },
    ]
    return directory(old, old.next, { set, dropped: [...said.map(([tag]) => tag), ...PLAIN_THUMBNAIL] })
  }
}

/** Writes a value where the old one is, if that is as long. */
function writeOver(directory: TiffDirectory, tag: PlainTag, isLittle: boolean): boolean {
  const { type, data } = encodeValue(tag, isLittle)
  const old = directory.value(tag.tag, type)
  // A value of four bytes at most is in the entry, of which the directory's copy is made.
  if (old?.length !== data.length || data.length <= 4) return false
  old.set(data)
  return true
}

/** A copy of which a thumbnail that goes is blanked, and cut off if it is the end. */
function withoutThumbnail(
  tiff: Uint8Array,
  { thumbnail }: ExifMarks,
): { readonly bytes: Uint8Array; readonly gap?: Gap } {
  const copy = concatBytes([tiff])
  const structure = thumbnail === undefined ? undefined : openTiff(copy)
  if (!structure) return { bytes: copy }
  const primary = structure.directory(structure.first)
  const small = structure.directory(primary.next)
  const directories = [structure.first, primary.number(EXIF_IFD) ?? 0, primary.next]
  const pixels = (from: number, length: number) => {
    const found = structure.slice(small.number(from), small.number(length))
    const at = (found?.byteOffset ?? 0) - copy.byteOffset
    // Places of broken EXIF may be anywhere.
    const isSound = directories.every((start) => start < at || start >= at + (found?.length ?? 0))
    return isSound ? found : undefined
  }
  const jpeg = pixels(THUMBNAIL_AT, THUMBNAIL_BYTES)
  jpeg?.fill(0)
  pixels(STRIPS_AT, STRIP_BYTES)?.fill(0)
  if (!jpeg) return { bytes: copy }
  const start = jpeg.byteOffset - copy.byteOffset
  const end = start + jpeg.length
  return end >= copy.length - 1 ? { bytes: copy.subarray(0, start) } : { bytes: copy, gap: { start, end } }
}

/** Bytes of a structure. */
type Gap = { readonly start: number; readonly end: number }

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
function valuesOf({ comment, makerNote }: ExifMarks): PlainTag[] {
  return [
    ...(comment === undefined ? [] : [{ tag: USER_COMMENT_TAG, bytes: userComment(comment) }]),
    ...(makerNote ? [{ tag: MAKER_NOTE_TAG, bytes: makerNote }] : []),
  ]
}

function orientationTag({ orientation }: ExifMarks): PlainTag[] {
  return orientation === undefined ? [] : [{ tag: ORIENTATION_TAG, short: orientation }]
}

function evenBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length % 2 === 0 ? bytes : concatBytes([bytes, new Uint8Array(1)])
}
