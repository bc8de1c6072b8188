import fc from 'fast-check'

/** Copies of these bytes, each with `min` to `max` of them changed. */
export function damagedCopies(bytes: Uint8Array, max = 8, min = 1): fc.Arbitrary<Uint8Array> {
  const change = fc.tuple(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 0, max: 255 }))
  return fc.array(change, { minLength: min, maxLength: max }).map((changes) => {
    const copy = bytes.slice()
    for (const [at, value] of changes) copy[at] = value
    return copy
  })
}
