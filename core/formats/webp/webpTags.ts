import { latin1, viewOf } from '@lantern-room/base/bytes'
import { type PictureTags, withoutMark } from '../png/pngTags'
import { decodeXmp } from '../xmp/readXmp'

/** `RIFF`, its length, `WEBP`. */
const FIRST_CHUNK = 12
const CHUNK_HEADER = 8
const MAX_CHUNKS = 100_000

/**
 * Reads the tags of a WebP.
 * @see WebP Container Specification, "Extended File Format"
 * @example
 * const { xmp } = readWebpTags(webp)
 */
export function readWebpTags(webp: Uint8Array): PictureTags {
  const chunks = new Map<string, Uint8Array>()
  const view = viewOf(webp)
  let count = 0
  for (let at = FIRST_CHUNK; at + CHUNK_HEADER <= webp.length && count < MAX_CHUNKS; count += 1) {
    const type = latin1(webp, at, at + 4)
    const size = view.getUint32(at + 4, true)
    const start = at + CHUNK_HEADER
    at = start + size + (size % 2)
    if (start + size <= webp.length && !chunks.has(type)) chunks.set(type, webp.subarray(start, start + size))
  }
  const [exif, xmp] = [chunks.get('EXIF'), chunks.get('XMP ')]
  return {
    exif: exif && withoutMark(exif),
    xmp: xmp && decodeXmp(xmp),
    hasText: false,
  }
}
