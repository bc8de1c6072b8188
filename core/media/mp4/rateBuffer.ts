/**
 * Whether a decoder's buffer never runs empty when samples are taken out of it one by one, at equal distances.
 * @param sizes bytes of the samples in decoding order
 * @param buffer bits: its size, how fast it is filled in a second, and its content before the first sample is taken out
 * @param rate samples per second
 * @see ITU-T H.264, annex C.1, with a variable bit rate
 */
export function staysFilled(
  sizes: Uint32Array,
  buffer: { readonly bits: number; readonly bitsPerSecond: number; readonly initialBits: number },
  rate: number,
): boolean {
  let content = buffer.initialBits
  return sizes.every((size) => {
    content -= size * 8
    if (content < 0) return false
    content = Math.min(buffer.bits, content + buffer.bitsPerSecond / rate)
    return true
  })
}
