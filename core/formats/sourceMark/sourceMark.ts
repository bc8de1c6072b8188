import { asciiBytes, concatBytes, hasBytesAt, latin1, viewOf } from '@lantern-room/base/bytes'
import { encodeBox, readBoxesBetween } from '@lantern-room/mp4/boxes'
import { type Reading, readNow, type Sized, take } from '@lantern-room/mp4/source'
import { APP2, MPF_MARK, patchMpf, readMpf } from '../exif/mpf'
import { APP1, encodeSegment, type JpegSegment, readJpeg, segmentPayload, walkJpeg } from '../jpeg/jpeg'
import { readPhoto } from '../motionPhoto/read'
import { HEIC_CLIP_MARK, MOTION_PHOTO_DATA } from '../motionPhoto/samsung'
import { XMP_MARK } from '../xmp/xmp'
import { isZip } from '../zip/zipDirectory'

/**
 * Which files a photo is made of, as it says itself, so that a later run knows it again wherever it was copied to
 * (docs/decisions.md, D176).
 */
export type SourceMark = {
  /** Of the files' content: 32 hexadecimal digits. */
  readonly content: string
  /** Of their content and the first one's name: 8 hexadecimal digits. */
  readonly name: string
}

const BEGIN = 'Lantern Room source '
const MARK = /^Lantern Room source ([\da-f]{32}) ([\da-f]{8})$/
const MARK_BYTES = BEGIN.length + 32 + 1 + 8

const NAMESPACE = 'urn:lantern-room:photo:1.0'
/** As it is written here, or by a program that has changed other tags. */
const IN_XMP = /LanternRoom:Source(?:=["']|>)([\da-f]{32}) ([\da-f]{8})\b/
const OLD_XMP =
  /\sxmlns:LanternRoom=(?:"[^"]*"|'[^']*')|\sLanternRoom:Source=(?:"[^"]*"|'[^']*')|<LanternRoom:Source>[^<]*<\/LanternRoom:Source>/g
/** What a segment's length, which counts itself, can say. */
const MAX_SEGMENT_BYTES = 0xffff - 2

/** An application segment that no standard uses, so that readers skip it. */
const APP0 = 0xe0
const APP9 = 0xe9
const SOS = 0xda
const SEGMENT_MARK = asciiBytes(BEGIN)

/** Drawn once: the extended type of a box that readers of HEIC skip. */
const BOX_TYPE = Uint8Array.from([
  0x6c, 0x72, 0x9e, 0x51, 0x0d, 0x47, 0x4c, 0x1f, 0x9a, 0x3e, 0x5b, 0x80, 0x27, 0xd4, 0x63, 0xc8,
])
const MAX_BOXES = 64

const ZIP_END = asciiBytes('PK\x05\x06')
const ZIP_END_BYTES = 22

/**
 * Marks a photo: a JPEG by a property of its XMP, a HEIC by a box before its clip, a ZIP by its comment. An older mark is replaced.
 * @param file as the writers of this project make it
 * @returns the file as it is where it has no place for a mark
 * @example const marked = withSourceMark(photo, mark)
 */
export function withSourceMark(file: Uint8Array, mark: SourceMark): Uint8Array {
  if (isZip(file)) return markedZip(file, markBytes(mark))
  return markedJpeg(file, mark) ?? markedHeic(file, markBytes(mark)) ?? file
}

function textOf({ content, name }: SourceMark): string {
  return `${content} ${name}`
}

function markBytes(mark: SourceMark): Uint8Array {
  return asciiBytes(BEGIN + textOf(mark))
}

/**
 * @returns undefined when the file says nothing of its source
 * @example await readFrom(readSourceMark(source), source)
 */
export function* readSourceMark(file: Sized): Reading<SourceMark | undefined> {
  const head = yield* take(file, 0, 12)
  if (isZip(head)) return markIn(yield* take(file, file.size - MARK_BYTES, file.size))
  if (latin1(head, 4, 8) === 'ftyp') return yield* markOfHeic(file)
  const jpeg = yield* readJpeg(file, true)
  for (const { marker, start, end } of jpeg?.segments ?? []) {
    if (marker !== APP1 && marker !== APP9) continue
    const payload = yield* take(file, start + 4, end)
    const mark = marker === APP9 ? markIn(payload) : markInXmp(payload)
    if (mark) return mark
  }
  return undefined
}

function markIn(bytes: Uint8Array): SourceMark | undefined {
  const [, content, name] = MARK.exec(latin1(bytes, 0, MARK_BYTES + 1)) ?? []
  return content !== undefined && name !== undefined ? { content, name } : undefined
}

function markInXmp(payload: Uint8Array): SourceMark | undefined {
  const [, content, name] = (hasBytesAt(payload, 0, XMP_MARK) && IN_XMP.exec(latin1(payload))) || []
  return content !== undefined && name !== undefined ? { content, name } : undefined
}

function* markOfHeic(file: Sized): Reading<SourceMark | undefined> {
  for (const { type, start, size } of yield* readBoxesBetween(file, {
    start: 0,
    end: file.size,
    maxCount: MAX_BOXES,
  })) {
    if (type !== 'uuid') continue
    const body = yield* take(
      file,
      start + 8,
      Math.min(start + size, start + 8 + BOX_TYPE.length + MARK_BYTES),
    )
    if (hasBytesAt(body, 0, BOX_TYPE)) return markIn(body.subarray(BOX_TYPE.length))
  }
  return undefined
}

type Change = { readonly start: number; readonly end: number; readonly bytes: Uint8Array }

function markedJpeg(file: Uint8Array, mark: SourceMark): Uint8Array | undefined {
  const segments = walkJpeg(file, true)?.segments ?? []
  const header = segments.slice(0, segments.findIndex(({ marker }) => marker === SOS) + 1)
  const change = inXmp(file, header, mark) ?? asSegment(header, mark)
  if (!change) return undefined
  const old = header.filter((one) => one.marker === APP9 && hasBytesAt(file, one.start + 4, SEGMENT_MARK))
  const changes: Change[] = [
    change,
    ...old.map(({ start, end }) => ({ start, end, bytes: new Uint8Array() })),
  ]
  const added = changes.reduce((sum, { start, end, bytes }) => sum + bytes.length - (end - start), 0)
  for (const segment of header) {
    const bytes = segment.marker === APP2 ? indexOf(file, segment, added) : undefined
    if (bytes) changes.push({ start: segment.start, end: segment.end, bytes })
  }
  const pieces: Uint8Array[] = []
  let copied = 0
  for (const { start, end, bytes } of changes.sort((one, other) => one.start - other.start)) {
    pieces.push(file.subarray(copied, start), bytes)
    copied = end
  }
  return concatBytes([...pieces, file.subarray(copied)])
}

/** Into the first packet of XMP, which programs that change tags keep. @returns undefined where that has no room, or is not in UTF-8 */
function inXmp(file: Uint8Array, header: readonly JpegSegment[], mark: SourceMark): Change | undefined {
  const segment = header.find((one) => one.marker === APP1 && hasBytesAt(file, one.start + 4, XMP_MARK))
  if (!segment) return undefined
  const packet = latin1(segmentPayload(file, segment)).replace(OLD_XMP, '')
  const property = ` xmlns:LanternRoom="${NAMESPACE}" LanternRoom:Source="${textOf(mark)}"`
  const changed = packet.replace(/<rdf:Description(?=[\s>])/, (begin) => begin + property)
  if (changed === packet || changed.length > MAX_SEGMENT_BYTES) return undefined
  const bytes = encodeSegment(
    APP1,
    Uint8Array.from(changed, (character) => character.charCodeAt(0)),
  )
  return { start: segment.start, end: segment.end, bytes }
}

/** Where XMP has no room. Before the index of pictures, whose distances stay. */
function asSegment(header: readonly JpegSegment[], mark: SourceMark): Change | undefined {
  const first = header.find(({ marker }) => marker !== APP0 && marker !== APP1 && marker !== APP9)
  return first && { start: first.start, end: first.start, bytes: encodeSegment(APP9, markBytes(mark)) }
}

/** The index of pictures, which says how large the first one is. @returns undefined of any other segment */
function indexOf(file: Uint8Array, segment: JpegSegment, added: number): Uint8Array | undefined {
  const payload = segmentPayload(file, segment)
  const index = hasBytesAt(payload, 0, MPF_MARK) ? payload.subarray(MPF_MARK.length) : undefined
  const [primary] = (index && readMpf(index)) ?? []
  const patched =
    index && primary && patchMpf(index, { primaryBytes: primary.size + added, othersMovedBy: () => 0 })
  return patched && encodeSegment(APP2, concatBytes([MPF_MARK, patched]))
}

/** Samsung's directory says where in the file the clip begins. */
function markedHeic(file: Uint8Array, text: Uint8Array): Uint8Array | undefined {
  const photo = readNow(readPhoto({ size: file.length }), file)
  if (photo?.format !== 'heic' || !photo.motionPhotoBox || !photo.clip) return undefined
  const { boxStart } = photo.motionPhotoBox
  const box = encodeBox('uuid', BOX_TYPE, text)
  const marked = concatBytes([file.subarray(0, boxStart), box, file.subarray(boxStart)])
  const block = photo.samsung?.blocks.find(({ type }) => type === MOTION_PHOTO_DATA)
  const at = (block?.offset ?? file.length) + box.length
  const place = asciiBytes(HEIC_CLIP_MARK)
  if (hasBytesAt(marked, at, place))
    viewOf(marked).setUint32(at + place.length, photo.clip.offset + box.length)
  return marked
}

/** The comment of a ZIP is the last thing in it; the writer of this project writes none. */
function markedZip(file: Uint8Array, text: Uint8Array): Uint8Array {
  const at = file.length - ZIP_END_BYTES
  if (!hasBytesAt(file, at, ZIP_END)) return file
  const marked = concatBytes([file, text])
  viewOf(marked).setUint16(at + ZIP_END_BYTES - 2, text.length, true)
  return marked
}
