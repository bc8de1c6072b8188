/**
 * Adds 16-bit big-endian words in one's complement, as all checksums of IP do.
 * @param sum of the previous parts; parts other than the last must have an even length
 * @returns 16 bits, not yet inverted
 */
export function addWords(bytes: Uint8Array, sum = 0, start = 0, end = bytes.length): number {
  let total = sum
  let at = start
  for (; at + 1 < end; at += 2) total += ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
  if (at < end) total += (bytes[at] ?? 0) << 8
  while (total > 0xffff) total = (total & 0xffff) + Math.floor(total / 0x10000)
  return total
}

/** The sum of the pseudo header (addresses, protocol, length), with which the checksums of UDP and TCP begin. */
export function pseudoHeaderSum(source: number, target: number, protocol: number, length: number): number {
  const words = (address: number) => (address >>> 16) + (address & 0xffff)
  return words(source) + words(target) + protocol + length
}
