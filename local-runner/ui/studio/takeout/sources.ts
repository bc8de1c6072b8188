import { type ByteSource, blobSource, bytesOfParts } from '@lantern-room/mp4/source'
import type { Content } from '@lantern-room/takeout/work'
import { letGo } from '../../shared/memory'

/** The blobs that sources read: their parts are named in another blob, and copied nowhere. */
const blobs = new WeakMap<ByteSource, Blob>()

export function sourceOf(blob: Blob): ByteSource {
  const source = blobSource(blob)
  blobs.set(source, blob)
  return source
}

export function partOf(source: ByteSource, start: number, end: number): ByteSource {
  const blob = blobs.get(source)
  if (!blob) throw new TypeError('this source is of no file')
  return sourceOf(blob.slice(start, end))
}

/** Bytes of a source for another file. */
export async function pieceOf(source: ByteSource, start: number, end: number): Promise<Blob> {
  const blob = blobs.get(source)
  return blob
    ? blob.slice(start, end)
    : new Blob([(await source.read(start, end)) as Uint8Array<ArrayBuffer>])
}

/** The bytes of a result, each piece of which is gone when the next one is asked for: gigabytes are read. */
export async function* piecesOf({
  parts,
  source,
}: Pick<Content, 'parts' | 'source'>): AsyncGenerator<Uint8Array> {
  const held = new Set(parts.flatMap((part) => (part instanceof Uint8Array ? part.buffer : [])))
  for await (const piece of bytesOfParts(parts, source)) {
    yield piece
    if (blobs.has(source) && !held.has(piece.buffer)) letGo(piece.buffer)
  }
}
