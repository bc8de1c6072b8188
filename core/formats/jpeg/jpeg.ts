import { concatBytes, viewOf } from '@lantern-room/base/bytes'
import { type Reading, readNow, type Sized, take } from '@lantern-room/mp4/source'
import { isFrameHeader, type JpegFrame, readFrame } from './jpegFrame'

export type JpegSegment = {
  /** The byte after 0xFF: 0xE1 is APP1. */
  readonly marker: number
  /** Where the marker's 0xFF is (the last one, where fill bytes precede it). */
  readonly start: number
  /** After the segment; of SOS, after its entropy-coded data. */
  readonly end: number
}

export type Jpeg = {
  /** Every segment between SOI and EOI, in order. */
  readonly segments: readonly JpegSegment[]
  /** Undefined when no frame header was found. */
  readonly frame: JpegFrame | undefined
  /** The byte after EOI; undefined when the image is cut or its markers are broken. */
  readonly end: number | undefined
}

export const SOI = 0xd8
export const EOI = 0xd9
export const SOS = 0xda
const TEM = 0x01
export const APP1 = 0xe1

/** More than any real file has: 64 Ki segments of 64 KiB each are 4 GiB. */
const MAX_SEGMENTS = 65_536

/**
 * Walks a JPEG marker by marker to its real end. Segments are skipped by their length, so the EOI of an EXIF thumbnail
 * does not count; entropy-coded data is skipped to the next true marker, through as many scans as there are.
 * What follows the image is ignored.
 * @param isHeaderOnly whether no more is wanted than what comes before the first scan, which takes the longest to walk through
 * @returns undefined when the bytes do not begin with SOI
 * @see ITU-T T.81, annex B
 * @example
 * const photo = walkJpeg(bytes)
 * const behind = photo?.end === undefined ? undefined : bytes.subarray(photo.end)
 */
export function walkJpeg(bytes: Uint8Array, isHeaderOnly = false): Jpeg | undefined {
  return readNow(readJpeg({ size: bytes.length }, isHeaderOnly), bytes)
}

/** A step needs no more than this at once: a segment of 64 KiB and fill bytes before it. */
const STEP_BYTES = 128 * 1024

/** Bytes of an image that are searched for its end. Larger than any phone's photo. */
const MAX_IMAGE_BYTES = 64 * 1024 * 1024

/** Markers without a length, which cost a step each; a decoder would not accept even a few. */
const MAX_LONE_MARKERS = 65_536

/** Does what `walkJpeg` does, for a file that is read in parts. */
export function* readJpeg(file: Sized, isHeaderOnly = false): Reading<Jpeg | undefined> {
  const start = yield* take(file, 0, 2)
  if (start[0] !== 0xff || start[1] !== SOI) return undefined
  const image = { size: Math.min(file.size, MAX_IMAGE_BYTES), isHeaderOnly }
  const segments: JpegSegment[] = []
  let frame: JpegFrame | undefined
  let at = 2
  for (let loneMarkers = 0; segments.length < MAX_SEGMENTS && loneMarkers < MAX_LONE_MARKERS; ) {
    const bytes = yield* take(image, at, at + STEP_BYTES)
    const step = nextStep(bytes, 0)
    if (step.kind === 'broken') break
    if (step.kind === 'image end') {
      const isWhole = frame && segments.some(({ marker }) => marker === SOS)
      return { segments, frame, end: isWhole ? at + step.next : undefined }
    }
    const end: number = yield* stepEnd(image, at, bytes, step)
    if (step.kind === 'lone marker') loneMarkers += 1
    else {
      segments.push({ marker: step.segment.marker, start: at + step.segment.start, end })
      frame ??= frameIn(bytes, step)
    }
    at = end
  }
  return { segments, frame, end: undefined }
}

function frameIn(bytes: Uint8Array, { segment, headerEnd }: JpegStep & { readonly kind: 'segment' }) {
  return isFrameHeader(segment.marker) ? readFrame(bytes.subarray(segment.start, headerEnd)) : undefined
}

/** Where a step ends whose positions count in `bytes`, which begin at `start`: a scan may go on after them. */
function* stepEnd(
  image: { readonly size: number; readonly isHeaderOnly: boolean },
  start: number,
  bytes: Uint8Array,
  step: JpegStep & { readonly next: number },
): Reading<number> {
  let at = start + step.next
  const isCut = step.kind === 'segment' && step.segment.marker === SOS && step.next === bytes.length
  while (isCut && !image.isHeaderOnly && at < image.size) {
    // A marker's first byte may have been the last one.
    const more = yield* take(image, at - 1, at + STEP_BYTES)
    const end = entropyEnd(more, 0)
    at += end - 1
    if (end < more.length) return at
  }
  return at
}

/** What a walk reads at a marker. `next` is where the next marker is expected. */
export type JpegStep =
  | {
      readonly kind: 'segment'
      readonly segment: JpegSegment
      /** After the segment's parameters, where entropy-coded data begins in a scan. */
      readonly headerEnd: number
      readonly next: number
    }
  /** A marker without a length. */
  | { readonly kind: 'lone marker'; readonly next: number }
  | { readonly kind: 'image end'; readonly next: number }
  /** No marker, a cut or impossible segment, or a second image. */
  | { readonly kind: 'broken' }

/** @param at where a marker is expected, after any number of fill bytes (0xFF) */
export function nextStep(bytes: Uint8Array, at: number): JpegStep {
  if (bytes[at] !== 0xff) return BROKEN
  let start = at
  while (bytes[start + 1] === 0xff) start++
  const marker = bytes[start + 1]
  if (marker === EOI) return { kind: 'image end', next: start + 2 }
  if (marker === undefined || marker === 0 || marker === SOI) return BROKEN
  if (isAlone(marker)) return { kind: 'lone marker', next: start + 2 }
  const headerEnd = segmentEnd(bytes, start)
  if (headerEnd === undefined) return BROKEN
  const end = marker === SOS ? entropyEnd(bytes, headerEnd) : headerEnd
  return { kind: 'segment', segment: { marker, start, end }, headerEnd, next: end }
}

const BROKEN: JpegStep = { kind: 'broken' }

/** The payload of a segment, after its marker and length. */
export function segmentPayload(bytes: Uint8Array, segment: JpegSegment): Uint8Array {
  return bytes.subarray(segment.start + 4, segment.end)
}

/**
 * A whole segment with its marker and length.
 * @throws RangeError when the payload is longer than 65,533 bytes
 * @param marker the byte after 0xFF
 * @param payload what follows the length
 * @example
 * const comment = encodeSegment(0xfe, asciiBytes('made by hand'))
 */
export function encodeSegment(marker: number, payload: Uint8Array): Uint8Array {
  if (payload.length > 0xffff - 2) throw new RangeError(`a segment cannot hold ${payload.length} bytes`)
  const head = Uint8Array.of(0xff, marker, (payload.length + 2) >> 8, (payload.length + 2) & 0xff)
  return concatBytes([head, payload])
}

function isAlone(marker: number): boolean {
  return marker === TEM || isRestart(marker)
}

function segmentEnd(bytes: Uint8Array, start: number): number | undefined {
  if (start + 4 > bytes.length) return undefined
  const length = viewOf(bytes).getUint16(start + 2)
  const end = start + 2 + length
  return length < 2 || end > bytes.length ? undefined : end
}

/** Whether it is RST0 to RST7. */
function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7
}

/** Where the entropy-coded data after an SOS header ends: at the next marker that is neither stuffed nor a restart. */
export function entropyEnd(bytes: Uint8Array, start: number): number {
  // Not `indexOf`: a hostile scan has 0xFF in every other byte, and each call costs more than many bytes in this loop.
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && !isRestart(next)) return at
  }
  return bytes.length
}
