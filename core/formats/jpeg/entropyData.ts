/** Whether it is RST0 to RST7. */
export function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7
}

/** Where the entropy-coded data after an SOS header ends: at the next marker that is neither stuffed nor a restart. */
export function entropyEnd(bytes: Uint8Array, start: number): number {
  // Four bytes at once, a third of the time: most words of a picture have no 0xFF. Not `indexOf`: a hostile scan has 0xFF in
  // every other byte, and each call costs more than many bytes in this loop.
  const wordsAt = start + ((4 - ((bytes.byteOffset + start) % 4)) % 4)
  const count = Math.max(0, (bytes.length - wordsAt) >> 2)
  const words = new Uint32Array(bytes.buffer, count > 0 ? bytes.byteOffset + wordsAt : 0, count)
  let end = markerBetween(bytes, start, Math.min(wordsAt, bytes.length))
  for (let i = 0; end === undefined && i < count; i++) {
    if (hasFullByte(words[i] ?? 0)) end = markerBetween(bytes, wordsAt + i * 4, wordsAt + i * 4 + 4)
  }
  return end ?? markerBetween(bytes, wordsAt + count * 4, bytes.length) ?? bytes.length
}

/** Whether a byte of a word is 0xFF. @see Hacker's Delight, section 6-1, "Find First 0-Byte" */
function hasFullByte(word: number): boolean {
  return ((~word - 0x01010101) & word & 0x80808080) !== 0
}

/** Where a marker begins that ends entropy-coded data; its second byte may lie behind `end`. */
function markerBetween(bytes: Uint8Array, start: number, end: number): number | undefined {
  for (let at = start; at < end; at++) {
    if (bytes[at] !== 0xff) continue
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && !isRestart(next)) return at
  }
  return undefined
}
