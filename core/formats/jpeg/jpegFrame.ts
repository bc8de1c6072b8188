import { viewOf } from '@lantern-room/base/bytes'

/** Pixels. */
export type Size = { readonly width: number; readonly height: number }

/** What the header of a frame says; `components` holds the ids of its components. */
export type JpegFrame = Size & { readonly components: readonly number[] }

/** SOF0–SOF15 without DHT (C4), JPG (C8) and DAC (CC), which share the range. */
export function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

export function readFrame(segment: Uint8Array): JpegFrame | undefined {
  if (segment.length < 10) return undefined
  const view = viewOf(segment)
  const count = view.getUint8(9)
  if (count === 0 || segment.length < 10 + count * 3) return undefined
  const components = Array.from({ length: count }, (_, i) => view.getUint8(10 + i * 3))
  return { width: view.getUint16(7), height: view.getUint16(5), components }
}
