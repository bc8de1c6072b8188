import { concatBytes } from '@lantern-room/base/bytes'
import { hex } from '#support/values/hex'

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'base64'))
}

/** 16 × 8 pixels, three components, one scan, no APPn. */
export const baselineJpeg = fromBase64(
  '/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06k' +
    'bl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAIABADASIAAhEBAxEB/8QAFQABAQAAAAAA' +
    'AAAAAAAAAAAAAAT/xAAXEAEAAwAAAAAAAAAAAAAAAAAAAwVi/8QAFQEBAQAAAAAAAAAAAAAAAAAAAgP/xAAYEQADAQEAAAAAAAAAAAAAAAAAAgME' +
    'Uf/aAAwDAQACEQMRAD8Amirsq4q7IA9WJZbv0//Z',
)

/** The same picture in ten progressive scans. */
export const progressiveJpeg = fromBase64(
  '/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06k' +
    'bl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wgARCAAIABADASIAAhEBAxEB/8QAFQABAQAAAAAA' +
    'AAAAAAAAAAAAAAP/xAAUAQEAAAAAAAAAAAAAAAAAAAAC/9oADAMBAAIQAxAAAAGVgj//xAAWEAADAAAAAAAAAAAAAAAAAAAAAQP/2gAIAQEAAQUC' +
    'UxTP/8QAFxEAAwEAAAAAAAAAAAAAAAAAAAECA//aAAgBAwEBPwHK2f/EABYRAQEBAAAAAAAAAAAAAAAAAAEAAv/aAAgBAgEBPwF03//EABQQAQAA' +
    'AAAAAAAAAAAAAAAAABD/2gAIAQEABj8CP//EABUQAQEAAAAAAAAAAAAAAAAAAABh/9oACAEBAAE/IYIP/9oADAMBAAIAAwAAABCP/8QAFREBAQAA' +
    'AAAAAAAAAAAAAAAAAFH/2gAIAQMBAT8Qrf/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQIBAT8Qb//EABQQAQAAAAAAAAAAAAAAAAAAABD/2gAI' +
    'AQEAAT8QNv/Z',
)

export const jfif = hex('ffe0 0010 4a46494600 0101 00 0001 0001 00 00')

/** An Adobe APP14 segment. @param transform 0: none, 1: YCbCr, 2: YCCK */
export function adobe(transform: number): Uint8Array {
  return concatBytes([hex('ffee 000e 41646f6265 0064 0000 0000'), Uint8Array.of(transform)])
}

export const comment = hex('fffe 0006 74657374')

/** A JPEG's shape without a picture: enough for a walker, nothing for a decoder. */
export function skeleton(parts: {
  readonly before?: readonly Uint8Array[]
  readonly components?: readonly number[]
  readonly scan?: Uint8Array
  readonly after?: readonly Uint8Array[]
}): Uint8Array {
  const ids = parts.components ?? [1, 2, 3]
  const frame = [
    0xff,
    0xc0,
    0,
    8 + ids.length * 3,
    8,
    0,
    9,
    0,
    17,
    ids.length,
    ...ids.flatMap((id) => [id, 0x11, 0]),
  ]
  return concatBytes([
    hex('ffd8'),
    ...(parts.before ?? []),
    Uint8Array.from(frame),
    hex('ffda 0002'),
    parts.scan ?? hex('010203'),
    ...(parts.after ?? []),
    hex('ffd9'),
  ])
}

/** The same JPEG with segments put in after SOI. */
export function withSegments(jpeg: Uint8Array, ...segments: readonly Uint8Array[]): Uint8Array {
  return concatBytes([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)])
}
