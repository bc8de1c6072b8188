import { latin1, viewOf } from '#core/bytes'
import type { Size } from '#core/formats/source/facts'

/**
 * Pixels of a PNG or WebP, by its first bytes.
 * @returns undefined when it is neither, or cut
 * @see PNG (W3C), 11.2.1; RFC 9649, 2.7
 */
export function pictureSize(bytes: Uint8Array): Size | undefined {
  if (bytes.length < 30) return undefined
  const view = viewOf(bytes)
  if (latin1(bytes, 12, 16) === 'IHDR') return { width: view.getUint32(16), height: view.getUint32(20) }
  const side = (at: number) => (view.getUint32(at - 1, true) >>> 8) + 1
  switch (latin1(bytes, 12, 16)) {
    case 'VP8X':
      return { width: side(24), height: side(27) }
    case 'VP8L': {
      const bits = view.getUint32(21, true)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    default:
      return undefined
  }
}
