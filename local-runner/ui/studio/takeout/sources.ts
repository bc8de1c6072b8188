import { type ByteSource, blobSource } from '@lantern-room/mp4/source'

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
