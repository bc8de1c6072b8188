/** A value, and in how many bits it is written. */
export type BitField = readonly [value: number, bits: number]

/** The fields from the lowest bit of the first byte on, as descriptions of tables are written. */
export function forwardFields(...fields: readonly BitField[]): Uint8Array {
  let [bits, at] = [0n, 0]
  for (const [value, count] of fields) {
    bits |= BigInt(value) << BigInt(at)
    at += count
  }
  return Uint8Array.from({ length: Math.ceil(at / 8) }, (_, i) => Number((bits >> BigInt(8 * i)) & 255n))
}

/** The fields in the order in which a stream is read, from its end backwards, with the mark at its end. */
export function backwardFields(...fields: readonly BitField[]): Uint8Array {
  return forwardFields(...[...fields].reverse(), [1, 1])
}
