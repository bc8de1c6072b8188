/** The bytes of bits that are written as text, spaces between them, with the stop bit and zeros up to a whole byte. */
export function payload(text: string): Uint8Array {
  const bits = `${text.replaceAll(' ', '')}1`
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '0')
  return Uint8Array.from(padded.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}

/** The bits of a payload up to its stop bit. */
export function textOf(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return bits.slice(0, bits.lastIndexOf('1'))
}
