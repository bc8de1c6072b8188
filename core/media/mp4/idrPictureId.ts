/** Enough for the fields below, whatever their values. */
const HEADER_BYTES = 40
const BASELINE = 66
const IDR_SLICE = 5

/**
 * The `idr_pic_id` of an IDR picture; two in succession must differ.
 * @param sps of the baseline profile; the unit without its start code
 * @param slice the picture's first slice, a unit without its start code
 * @returns undefined for another profile or another kind of picture
 * @see ITU-T H.264, 7.3.2.1.1 and 7.3.3; 7.4.3 for the rule
 */
export function idrPictureId(sps: Uint8Array, slice: Uint8Array): number | undefined {
  if (sps[1] !== BASELINE || ((slice[0] ?? 0) & 0x1f) !== IDR_SLICE) return undefined
  const parameters = readBits(sps.subarray(4))
  parameters.unsigned() // seq_parameter_set_id
  const frameNumberBits = parameters.unsigned() + 4
  const header = readBits(slice.subarray(1))
  header.unsigned() // first_mb_in_slice
  header.unsigned() // slice_type
  header.unsigned() // pic_parameter_set_id
  header.skip(frameNumberBits)
  return header.unsigned()
}

/** Reads the first bits of a unit. @see ITU-T H.264, 7.3.1 and 9.1 */
function readBits(unit: Uint8Array) {
  const bytes = withoutEmulationPrevention(unit.subarray(0, HEADER_BYTES))
  let at = 0
  const bit = () => {
    const value = ((bytes[at >> 3] ?? 0) >> (7 - (at & 7))) & 1
    at += 1
    return value
  }
  return {
    skip(bits: number): void {
      at += bits
    },
    /** An Exp-Golomb code, ue(v). */
    unsigned(): number {
      let zeros = 0
      while (zeros < 32 && bit() === 0) zeros += 1
      let value = 1
      for (let index = 0; index < zeros; index++) value = value * 2 + bit()
      return value - 1
    },
  }
}

function withoutEmulationPrevention(bytes: Uint8Array): Uint8Array {
  return bytes.filter((byte, at) => !(byte === 3 && at >= 2 && bytes[at - 1] === 0 && bytes[at - 2] === 0))
}
