import { asciiBytes, hasBytesAt } from '@lantern-room/base/bytes'
import { readBoxAt } from '@lantern-room/mp4/boxes'
import { type Reading, type Sized, take } from '@lantern-room/mp4/source'
import type { MotionPhotoBox } from '../heic/heic'
import { isClipItem, type MotionPhotoXmp } from '../xmp/readXmp'
import type { ClipPlace } from './clipFacts'
import type { HuaweiTail } from './huawei'
import { CLIP_BLOCK_HEADER, MOTION_PHOTO_DATA, type SamsungTrailer } from './samsung'

/** What says where the clip is. */
export type Marks = {
  readonly primaryLength: number | undefined
  readonly xmp: MotionPhotoXmp | undefined
  readonly samsung: SamsungTrailer | undefined
  readonly huawei: HuaweiTail | undefined
  readonly motionPhotoBox: MotionPhotoBox | undefined
}

/** Whether anything of these says that the file is a motion photo. */
export function isMarkedBy({ xmp, samsung, huawei, motionPhotoBox }: Omit<Marks, 'primaryLength'>): boolean {
  return (
    xmp !== undefined ||
    huawei !== undefined ||
    motionPhotoBox !== undefined ||
    samsung?.blocks.some((block) => block.type === MOTION_PHOTO_DATA) === true
  )
}

/** The clip at the first offset that the tags give and at which an MP4 really begins. */
export function* findClip(file: Sized, marks: Marks): Reading<ClipPlace | undefined> {
  const found = yield* findClipStart(file, marks)
  if (!found) return undefined
  const length = yield* clipLength(file, found.start, found.end)
  return length > 0 ? { offset: found.start, length } : undefined
}

/** Where that MP4 begins, and where it ends at the latest. */
export function* findClipStart(
  file: Sized,
  marks: Marks,
): Reading<{ start: number; end: number } | undefined> {
  for (const start of clipCandidates(file.size, marks)) {
    const head = yield* take(file, start, start + 8)
    if (!hasBytesAt(head, 4, asciiBytes('ftyp'))) continue
    // A `free` box that wraps a Samsung trailer reaches beyond its directory, so it does not count as the clip's.
    return { start, end: marks.motionPhotoBox?.end ?? marks.samsung?.directoryOffset ?? file.size }
  }
  return undefined
}

function clipCandidates(fileLength: number, marks: Marks): number[] {
  const { primaryLength, xmp, samsung, huawei, motionPhotoBox } = marks
  const samsungClip = samsung?.blocks.find((block) => block.type === MOTION_PHOTO_DATA)
  const items = xmp?.items ?? []
  const clipAt = items.findIndex(isClipItem)
  const lengthFromEnd = items[clipAt]?.length
  // Some phones' lengths do not lead back from the end (OPPO's are too short), yet lead forward from the image.
  const before = items.slice(0, Math.max(clipAt, 0))
  const lengths = before.reduce((bytes, item) => bytes + (item.length ?? 0), 0)
  const paddings = before.reduce((bytes, item) => bytes + (item.padding ?? 0), 0)
  const after = (bytes: number) => (primaryLength === undefined ? undefined : primaryLength + bytes)
  const candidates = [
    motionPhotoBox?.start,
    lengthFromEnd === undefined ? undefined : fileLength - lengthFromEnd,
    xmp?.microVideoOffset === undefined ? undefined : fileLength - xmp.microVideoOffset,
    samsungClip?.offset,
    huawei?.clipOffset,
    after(lengths + paddings),
    // The padding stands on the primary item and on the last picture alike.
    after(lengths + (before.at(-1)?.padding ?? 0)),
    primaryLength,
    after(CLIP_BLOCK_HEADER.length),
  ]
  return candidates.filter((at): at is number => at !== undefined && at >= 0)
}

/** What lies at the top level of an MP4 or MOV. Other types are a phone's own blocks, or no box at all. */
const MOVIE_BOXES = new Set('ftyp styp moov mdat moof mfra sidx free skip wide meta udta uuid'.split(' '))

const MAX_MOVIE_BOXES = 65_536

/**
 * Bytes of the MP4 that begins at `start`: box after box, until no whole box of it follows. 0 of one without samples.
 * @example
 * const length = yield* clipLength(file, start, file.size)
 */
export function* clipLength(file: Sized, start: number, end: number): Reading<number> {
  let at = start
  let hasSamples = false
  for (let i = 0; i < MAX_MOVIE_BOXES; i++) {
    const box = yield* readBoxAt(file, at, end)
    if (!box || !MOVIE_BOXES.has(box.type)) break
    // A second file type begins a second file: some phones add a short silent video.
    if (box.type === 'ftyp' && at > start) break
    hasSamples ||= box.type === 'mdat'
    at += box.size
  }
  return hasSamples ? at - start : 0
}
