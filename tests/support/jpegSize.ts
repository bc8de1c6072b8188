/** Width and height in the first frame header of a JPEG, where a program to judge each would cost too much. */
export function jpegSize(bytes: Uint8Array): [number, number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 2; at < bytes.length; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at)
    if (marker >= 0xffc0 && marker <= 0xffc2) return [view.getUint16(at + 7), view.getUint16(at + 5)]
  }
  return [0, 0]
}
