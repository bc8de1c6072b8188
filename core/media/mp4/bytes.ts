/** One character per byte, so that it never fails and never changes the length: four-character codes, markers. */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = ''
  for (let i = start; i < end && i < bytes.length; i++) text += String.fromCharCode(bytes[i] ?? 0)
  return text
}

/** The bytes of a text that is known to be ASCII: the low byte of each character. */
export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff)
}

/** Whether `bytes` holds `expected` at `at`. */
export function hasBytesAt(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  if (at < 0 || at + expected.length > bytes.length) return false
  return expected.every((byte, i) => bytes[at + i] === byte)
}
