import { crc32 } from '@lantern-room/formats/browser'
import type { Unpacking } from '@lantern-room/takeout/work'
import { partOf, pieceOf, sourceOf } from './sources'

/** Unpacked bytes that are handed to the browser at a time: it keeps blobs outside of the tab. */
const PIECE_BYTES = 8 * 1024 * 1024

export function unpackingOf(signal: AbortSignal): Unpacking {
  return {
    crc32,
    partOf,
    signal,
    async inflate(packed, mostBytes) {
      const bytes = new Uint8Array(mostBytes)
      let at = 0
      for await (const chunk of unpacked(new Blob([packed as Uint8Array<ArrayBuffer>]), 'deflate-raw')) {
        bytes.set(chunk, at)
        at += chunk.length
      }
      return bytes.subarray(0, at)
    },
    async unpackLarge(packed, bytes) {
      const blob = await pieceOf(packed, 0, packed.size)
      const whole = await unpackedBlob(blob, 'deflate-raw', { signal, mostBytes: bytes })
      return { source: sourceOf(whole), close: async () => undefined }
    },
  }
}

/** A whole file unpacked. @throws RangeError when it is larger than it says; TypeError when it is damaged; the signal's reason */
export async function unpackedBlob(
  packed: Blob,
  format: CompressionFormat,
  { signal, mostBytes }: { readonly signal: AbortSignal; readonly mostBytes: number },
): Promise<Blob> {
  const blobs: Blob[] = []
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let [held, all] = [0, 0]
  const put = () => {
    blobs.push(new Blob(chunks))
    chunks = []
    held = 0
  }
  for await (const chunk of unpacked(packed, format)) {
    signal.throwIfAborted()
    chunks.push(chunk)
    held += chunk.length
    all += chunk.length
    if (all > mostBytes) throw new RangeError('more than it says')
    if (held >= PIECE_BYTES) put()
  }
  put()
  return new Blob(blobs)
}

async function* unpacked(packed: Blob, format: CompressionFormat): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = packed.stream().pipeThrough(new DecompressionStream(format)).getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}
