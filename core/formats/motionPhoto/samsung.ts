import { asciiBytes, concatBytes, hasBytesAt, latin1, viewOf } from '@lantern-room/base/bytes'
import { encodeBox, encodeBoxHeader, uint32s } from '@lantern-room/mp4/boxes'
import { type ByteSpan, type Reading, type Sized, take } from '@lantern-room/mp4/source'
import type { ClipPlace } from './clipFacts'

/** Block types: the clip, and the version of Samsung's format. */
export const MOTION_PHOTO_DATA = 0x0a30
export const MOTION_PHOTO_VERSION = 0x0a31

/**
 * What Samsung writes before the clip: two zero bytes, the block's type, the length of its name, the name.
 * Little endian, 24 bytes.
 */
export const CLIP_BLOCK_HEADER = blockHeader(MOTION_PHOTO_DATA, 'MotionPhoto_Data')

const VERSION_BLOCK = concatBytes([
  blockHeader(MOTION_PHOTO_VERSION, 'MotionPhoto_Version'),
  asciiBytes('mpv3'),
])

const DIRECTORY_VERSION = 107
const DIRECTORY_SIZE = 36
/** The directory's length and `SEFT`. */
const FOOTER_SIZE = 8

/** Bytes of the trailer: version block 31, directory 36, footer 8. */
export const SAMSUNG_TRAILER_SIZE = VERSION_BLOCK.length + DIRECTORY_SIZE + FOOTER_SIZE

/**
 * The Samsung trailer that lists the clip, to be written after it.
 * @param clipLength bytes of the MP4 clip, without its 24-byte block header
 * @param gap bytes between the clip's end and the trailer
 * @returns 75 bytes, the last four of which are `SEFT`
 * @see docs/motion-photo.md, "Samsung"
 */
export function encodeSamsungTrailer(clipLength: number, gap: number): Uint8Array {
  const clipBlockSize = CLIP_BLOCK_HEADER.length + clipLength
  const directory = encodeDirectory(clipBlockSize + gap + VERSION_BLOCK.length, clipBlockSize)
  return concatBytes([VERSION_BLOCK, directory])
}

/** @param distance of the clip's block before the directory @param size of that block */
function encodeDirectory(distance: number, size: number): Uint8Array {
  const directory = new Uint8Array(DIRECTORY_SIZE + FOOTER_SIZE)
  directory.set(asciiBytes('SEFH'))
  const view = viewOf(directory)
  view.setUint32(4, DIRECTORY_VERSION, true)
  view.setUint32(8, 2, true)
  writeEntry(view, 12, MOTION_PHOTO_DATA, distance, size)
  writeEntry(view, 24, MOTION_PHOTO_VERSION, VERSION_BLOCK.length, VERSION_BLOCK.length)
  view.setUint32(DIRECTORY_SIZE, DIRECTORY_SIZE, true)
  directory.set(asciiBytes('SEFT'), DIRECTORY_SIZE + 4)
  return directory
}

/** In a HEIC the clip's block has, in its place, this and two numbers: where it begins in the file, and its bytes. */
export const HEIC_CLIP_MARK = 'mpv2'

/**
 * The box `sefd` with Samsung's trailer, to be written after the clip in the box `mpvd` of a HEIC.
 * @param clip where the MP4 begins in the file, and its bytes
 * @see exiftool, Samsung.pm; MotionPhoto2, which writes what a Galaxy S23 writes
 */
export function encodeHeicTrailer(clip: ClipPlace): Uint8Array {
  const numbers = uint32s(clip.offset, clip.length)
  const block = concatBytes([CLIP_BLOCK_HEADER, asciiBytes(HEIC_CLIP_MARK), numbers])
  return encodeBox(
    'sefd',
    block,
    VERSION_BLOCK,
    encodeDirectory(block.length + VERSION_BLOCK.length, block.length),
  )
}

/**
 * The Samsung trailer in a `free` box, so that the bytes from the clip's start to the file's end stay a clean MP4. To be
 * written right after the clip.
 */
export function encodeWrappedTrailer(clipLength: number): Uint8Array {
  const header = encodeBoxHeader('free', 8 + SAMSUNG_TRAILER_SIZE)
  return concatBytes([header, encodeSamsungTrailer(clipLength, header.length)])
}

export type SamsungBlock = {
  readonly type: number
  readonly name: string
  /** Where the block's content begins in the file, after its header, and its bytes. */
  readonly offset: number
  readonly length: number
}

export type SamsungTrailer = {
  readonly blocks: readonly SamsungBlock[]
  /** Where the directory, `SEFH`, begins in the file. All blocks lie before it. */
  readonly directoryOffset: number
}

/** More blocks than any phone writes. Each costs an object. */
const MAX_BLOCKS = 256

const MAX_NAME_LENGTH = 256

/**
 * Reads the Samsung trailer at the end of a file by any program. Entries with impossible offsets are ignored.
 * @returns undefined when the file does not end with one
 */
export function* readSamsungTrailer(file: Sized): Reading<SamsungTrailer | undefined> {
  const footer = file.size - FOOTER_SIZE
  const end = yield* take(file, footer, file.size)
  if (!hasBytesAt(end, 4, asciiBytes('SEFT'))) return undefined
  const directory = footer - viewOf(end).getUint32(0, true)
  const bytes = yield* take(file, directory, Math.min(footer, directory + 12 + 12 * MAX_BLOCKS))
  if (bytes.length < 12 || !hasBytesAt(bytes, 0, asciiBytes('SEFH'))) return undefined

  const view = viewOf(bytes)
  const blocks: SamsungBlock[] = []
  const count = Math.min(view.getUint32(8, true), MAX_BLOCKS)
  for (let entry = 12; entry + 12 <= bytes.length && blocks.length < count; entry += 12) {
    const type = view.getUint16(entry + 2, true)
    const start = directory - view.getUint32(entry + 4, true)
    const blockEnd = start + view.getUint32(entry + 8, true)
    const block = blockEnd <= directory ? yield* readBlock(file, type, start, blockEnd) : undefined
    if (block) blocks.push(block)
  }
  return { blocks, directoryOffset: directory }
}

/** An entry of the directory, and the block that it leads to, header included. */
export type SamsungEntry = ByteSpan & {
  readonly type: number
  readonly name: string
  /** The entry's twelve bytes. */
  readonly fields: Uint8Array
}

/** Whether a block belongs to the clip of a motion photo. */
export function isMotionBlock({ type, name }: Pick<SamsungEntry, 'type' | 'name'>): boolean {
  return type === MOTION_PHOTO_DATA || type === MOTION_PHOTO_VERSION || name.startsWith('MotionPhoto_')
}

/** The directory entry by entry, also those of blocks whose headers are of another form. */
export function* readSamsungDirectory(
  file: Sized,
  directoryOffset: number,
): Reading<{ readonly version: number; readonly entries: readonly SamsungEntry[] }> {
  const bytes = yield* take(file, directoryOffset, directoryOffset + 12 + 12 * MAX_BLOCKS)
  if (bytes.length < 12) return { version: DIRECTORY_VERSION, entries: [] }
  const view = viewOf(bytes)
  const entries: SamsungEntry[] = []
  const count = Math.min(view.getUint32(8, true), MAX_BLOCKS)
  for (let at = 12; at + 12 <= bytes.length && entries.length < count; at += 12) {
    const type = view.getUint16(at + 2, true)
    const start = directoryOffset - view.getUint32(at + 4, true)
    const end = start + view.getUint32(at + 8, true)
    if (start < 0 || end > directoryOffset) continue
    const block = yield* readBlock(file, type, start, end)
    entries.push({ start, end, type, name: block?.name ?? '', fields: bytes.slice(at, at + 12) })
  }
  return { version: view.getUint32(4, true), entries }
}

function blockHeader(type: number, name: string): Uint8Array {
  const header = new Uint8Array(8)
  const view = viewOf(header)
  view.setUint16(2, type, true)
  view.setUint32(4, name.length, true)
  return concatBytes([header, asciiBytes(name)])
}

function writeEntry(view: DataView, at: number, type: number, distance: number, size: number): void {
  view.setUint16(at + 2, type, true)
  view.setUint32(at + 4, distance, true)
  view.setUint32(at + 8, size, true)
}

function* readBlock(
  file: Sized,
  type: number,
  start: number,
  end: number,
): Reading<SamsungBlock | undefined> {
  if (start < 0 || end - start < 8) return undefined
  const head = yield* take(file, start, Math.min(end, start + 8 + MAX_NAME_LENGTH))
  const view = viewOf(head)
  const nameLength = view.getUint32(4, true)
  const offset = start + 8 + nameLength
  if (view.getUint16(2, true) !== type || nameLength > MAX_NAME_LENGTH || offset > end) return undefined
  return { type, name: latin1(head, 8, 8 + nameLength), offset, length: end - offset }
}
