import { concatBytes } from '@lantern-room/base/bytes'
import type { ByteSource } from './byteSource'
import { type ByteSpan, inWindows, type Reading, type Sized, take } from './reading'

/** A file that is to be written: new bytes, and ranges of the file that it is made of. */
export type FileParts = readonly (Uint8Array | ByteSpan)[]

/**
 * Bytes of the file.
 * @example
 * const headers = { 'Content-Length': String(sizeOfParts(parts)) }
 */
export function sizeOfParts(parts: FileParts): number {
  return parts.reduce((size, part) => size + lengthOf(part), 0)
}

/** Bytes to be written over those of a file from `offset` on. */
export type Patch = { readonly offset: number; readonly bytes: Uint8Array }

/**
 * A file with patches, which are in the order of their offsets and do not overlap.
 * @example
 * const parts = patchedParts(file, [{ offset: 4, bytes: asciiBytes('free') }])
 */
export function patchedParts({ size }: Sized, patches: readonly Patch[]): FileParts {
  const parts: (Uint8Array | ByteSpan)[] = []
  let start = 0
  for (const { offset, bytes } of patches) {
    parts.push({ start, end: offset }, bytes)
    start = offset + bytes.length
  }
  return [...parts, { start, end: size }]
}

/**
 * Parts of a file that lies in another one, from `by` on, as parts of that.
 * @example
 * const inFile = shiftedParts(partsOfClip, clip.offset)
 */
export function shiftedParts(parts: FileParts, by: number): FileParts {
  return parts.map((part) =>
    part instanceof Uint8Array ? part : { start: part.start + by, end: part.end + by },
  )
}

/**
 * The same file, of which ranges that go on from one another are one part: a hostile picture has thousands of segments.
 * @example
 * withoutSeams([{ start: 0, end: 4 }, { start: 4, end: 9 }]) // [{ start: 0, end: 9 }]
 */
export function withoutSeams(parts: FileParts): FileParts {
  const joined: (Uint8Array | ByteSpan)[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    const goesOn = last && 'end' in last && 'start' in part && last.end === part.start
    if (goesOn) joined.splice(-1, 1, { start: last.start, end: part.end })
    else joined.push(part)
  }
  return joined
}

/**
 * Lets a parser read a file that is not written yet, out of the one that it is made of.
 * @example
 * const isRepaired = (yield* readThrough(readPhoto({ size: sizeOfParts(parts) }), parts)) !== undefined
 */
export function* readThrough<Result>(reading: Reading<Result>, parts: FileParts): Reading<Result> {
  const whole = { size: Number.POSITIVE_INFINITY }
  const asking = inWindows(reading, { size: sizeOfParts(parts) })
  let step = asking.next()
  while (!step.done) {
    const pieces: Uint8Array[] = []
    for (const piece of cutParts(parts, step.value)) {
      pieces.push(piece instanceof Uint8Array ? piece : yield* take(whole, piece.start, piece.end))
    }
    step = asking.next(pieces.length === 1 && pieces[0] ? pieces[0] : concatBytes(pieces))
  }
  return step.value
}

/**
 * The pieces of the file, of a source in memory.
 * @example
 * const still = concatBytes(piecesOfParts(parts, bytes))
 */
export function piecesOfParts(parts: FileParts, source: Uint8Array): Uint8Array[] {
  return parts.map((part) => (part instanceof Uint8Array ? part : source.subarray(part.start, part.end)))
}

/**
 * The bytes of the file in memory.
 * @throws what the source throws
 * @example
 * const { parts } = await readFrom(extractStill(source), source)
 * const jpeg = await joinParts(parts, source)
 */
export async function joinParts(parts: FileParts, source: ByteSource): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for (const part of parts)
    pieces.push(part instanceof Uint8Array ? part : await source.read(part.start, part.end))
  return concatBytes(pieces)
}

/** Bytes that are read and given at once. */
const CHUNK_BYTES = 256 * 1024

/**
 * The bytes of the file, in order, in pieces of at most 256 KiB.
 * @example
 * for await (const piece of bytesOfParts(parts, source)) write(piece)
 */
export async function* bytesOfParts(parts: FileParts, source: ByteSource): AsyncGenerator<Uint8Array> {
  const size = sizeOfParts(parts)
  for (let start = 0; start < size; start += CHUNK_BYTES) {
    for (const piece of cutParts(parts, { start, end: Math.min(size, start + CHUNK_BYTES) })) {
      yield piece instanceof Uint8Array ? piece : await source.read(piece.start, piece.end)
    }
  }
}

/** The parts, or pieces of them, that make up a range of the file. */
function* cutParts(parts: FileParts, { start, end }: ByteSpan): Generator<Uint8Array | ByteSpan, void> {
  let at = 0
  for (const part of parts) {
    if (at >= end) return
    const from = Math.max(start - at, 0)
    const to = Math.min(end - at, lengthOf(part))
    if (from < to) {
      yield part instanceof Uint8Array
        ? part.subarray(from, to)
        : { start: part.start + from, end: part.start + to }
    }
    at += lengthOf(part)
  }
}

function lengthOf(part: Uint8Array | ByteSpan): number {
  return part instanceof Uint8Array ? part.length : part.end - part.start
}
