/** Bytes written as hexadecimal digits, with spaces and line breaks anywhere between them. */
export function hex(digits: string): Uint8Array {
  const compact = digits.replace(/\s+/g, '')
  if (!/^([0-9a-f]{2})*$/i.test(compact)) throw new Error(`not hexadecimal: ${digits}`)
  return Uint8Array.from(compact.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** The same, the other way round: two digits a byte, no spaces. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

/** Little endian, 32 bits. */
export function u32le(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value, true)
  return bytes
}
