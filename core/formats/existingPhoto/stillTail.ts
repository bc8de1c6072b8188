import { asciiBytes, concatBytes, hasBytesAt, latin1, viewOf } from '@lantern-room/base/bytes'
import { encodeBox, readBoxHeader } from '@lantern-room/mp4/boxes'
import {
  type ByteSpan,
  type FileParts,
  type Reading,
  type Sized,
  sizeOfParts,
  take,
} from '@lantern-room/mp4/source'
import { clipLength } from '../motionPhoto/findClip'
import { HUAWEI_TAIL_SIZE } from '../motionPhoto/huawei'
import type { MotionPhoto } from '../motionPhoto/read'
import {
  CLIP_BLOCK_HEADER,
  isMotionBlock,
  readSamsungDirectory,
  type SamsungEntry,
} from '../motionPhoto/samsung'

/** What of a file follows its picture, without all that belongs to a clip. */
export type StillTail = {
  readonly parts: FileParts
  /** Of a place behind the picture: how many bytes before it are left out. */
  readonly leftOutBefore: (offset: number) => number
}

/**
 * Keeps what lies behind the picture of a JPEG, byte by byte, but for the clip and what leads to it: Samsung's blocks of a motion photo,
 * Huawei's tail, a second video. Samsung's other blocks get a directory of their own.
 * What is not known to belong to the clip stays: people delete their originals once they have the still.
 * @param from the end of the main picture
 * @param behind the end of the last picture, after which a video may begin
 */
export function* stillTail(
  file: Sized,
  photo: MotionPhoto,
  from: number,
  behind: number,
): Reading<StillTail> {
  const { clip, samsung, huawei, size } = photo
  const end = samsung?.directoryOffset ?? (huawei ? size - HUAWEI_TAIL_SIZE : size)
  const directory = samsung && (yield* readSamsungDirectory(file, samsung.directoryOffset))
  const entries = directory?.entries ?? []
  const left: ByteSpan[] = entries.filter(isMotionBlock)
  if (clip) {
    left.push({ start: clip.offset, end: clip.offset + clip.length })
    left.push(...(yield* aroundClip(file, clip.offset, clip.offset + clip.length, from)))
  }
  if (!samsung) left.push(...(yield* otherVideos(file, left, { start: behind, end })))
  const spans = merged(left, { start: from, end })
  const leftOutBefore = (offset: number) =>
    spans.reduce((bytes, span) => bytes + Math.max(0, Math.min(span.end, offset) - span.start), 0)
  const parts = remaining(spans, { start: from, end })
  const isKept = ({ start }: ByteSpan) =>
    start >= from && !spans.some((span) => start >= span.start && start < span.end)
  const kept = entries.filter((entry) => !isMotionBlock(entry) && isKept(entry))
  if (!directory || kept.length === 0) return { parts, leftOutBefore }
  const at = sizeOfParts(parts)
  const placed = kept.map((entry) => ({
    entry,
    distance: at - (entry.start - from - leftOutBefore(entry.start)),
  }))
  return { parts: [...parts, encodeDirectory(directory.version, placed)], leftOutBefore }
}

/**
 * Samsung's blocks of a HEIC that do not belong to its clip, with a directory of their own.
 * @returns empty where there are none
 */
export function* heicBlocks(file: Sized, { samsung, motionPhotoBox }: MotionPhoto): Reading<Uint8Array> {
  const directory = samsung && (yield* readSamsungDirectory(file, samsung.directoryOffset))
  const kept = directory?.entries.filter((entry) => !isMotionBlock(entry)) ?? []
  if (!directory || kept.length === 0) return new Uint8Array()
  const blocks: Uint8Array[] = []
  for (const { start, end } of kept) blocks.push(yield* take(file, start, end))
  const placed = kept.map((entry, i) => ({
    entry,
    distance: blocks.slice(i).reduce((bytes, { length }) => bytes + length, 0),
  }))
  const content = concatBytes([...blocks, encodeDirectory(directory.version, placed)])
  return motionPhotoBox ? encodeBox('sefd', content) : content
}

type Placed = { readonly entry: SamsungEntry; readonly distance: number }

function encodeDirectory(version: number, placed: readonly Placed[]): Uint8Array {
  const rows = placed.map(({ entry: { fields }, distance }) => {
    const row = fields.slice()
    viewOf(row).setUint32(4, distance, true)
    return row
  })
  const head = new Uint8Array(8)
  viewOf(head).setUint32(0, version, true)
  viewOf(head).setUint32(4, rows.length, true)
  const length = new Uint8Array(4)
  viewOf(length).setUint32(0, 12 + 12 * rows.length, true)
  return concatBytes([asciiBytes('SEFH'), head, ...rows, length, asciiBytes('SEFT')])
}

/** Samsung's header before the clip, and that of the box around what follows. */
function* aroundClip(file: Sized, start: number, end: number, from: number): Reading<ByteSpan[]> {
  const headerAt = start - CLIP_BLOCK_HEADER.length
  const hasHeader = headerAt >= from && hasBytesAt(yield* take(file, headerAt, start), 0, CLIP_BLOCK_HEADER)
  const wrapper = readBoxHeader(yield* take(file, end, end + 16), 0)
  const isWrapper = wrapper?.type === 'free' && end + wrapper.size === file.size
  return [
    ...(hasHeader ? [{ start: headerAt, end: start }] : []),
    ...(isWrapper ? [{ start: end, end: end + wrapper.headerSize }] : []),
  ]
}

const SEARCHED_BYTES = 64 * 1024 * 1024
const STEP_BYTES = 128 * 1024
const MAX_VIDEOS = 8

/** Further videos, such as a phone's short silent one, and one that is cut: it ends with the file. */
function* otherVideos(
  file: Sized,
  known: readonly ByteSpan[],
  { start, end }: ByteSpan,
): Reading<ByteSpan[]> {
  const videos: ByteSpan[] = []
  const searched = { start, end: Math.min(end, start + SEARCHED_BYTES) }
  for (const gap of remaining(merged(known, searched), searched)) {
    for (let at = gap.start; at < gap.end && videos.length < MAX_VIDEOS; ) {
      const boxAt = yield* nextFileType(file, { start: at, end: gap.end })
      if (boxAt === undefined) break
      const length = yield* clipLength(file, boxAt, gap.end)
      at = length > 0 ? boxAt + length : gap.end
      videos.push({ start: boxAt, end: at })
    }
  }
  return videos
}

/** @returns where the next box `ftyp` begins */
function* nextFileType(file: Sized, { start, end }: ByteSpan): Reading<number | undefined> {
  for (let at = start; at + 8 <= end; at += STEP_BYTES - 7) {
    const found = latin1(yield* take(file, at, Math.min(end, at + STEP_BYTES))).indexOf('ftyp', 4)
    if (found >= 0) return at + found - 4
  }
  return undefined
}

/** Spans in order, without those that overlap, inside of another. */
function merged(spans: readonly ByteSpan[], { start, end }: ByteSpan): ByteSpan[] {
  const all: ByteSpan[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const first = Math.max(span.start, all.at(-1)?.end ?? start)
    const last = Math.min(span.end, end)
    if (first < last) all.push({ start: first, end: last })
  }
  return all
}

function remaining(left: readonly ByteSpan[], { start, end }: ByteSpan): ByteSpan[] {
  const kept: ByteSpan[] = []
  let at = start
  for (const span of left) {
    if (span.start > at) kept.push({ start: at, end: span.start })
    at = span.end
  }
  return at < end ? [...kept, { start: at, end }] : kept
}
