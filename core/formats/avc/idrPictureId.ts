import { IDR_SLICE, unitType } from './annexB'
import { readBits, withoutEmulationPrevention } from './bits'
import { readSequenceStart } from './predictedSlice'

/** Enough for the fields below, whatever their values. */
const HEADER_BYTES = 40

/**
 * The `idr_pic_id` of an IDR picture; two in succession must differ.
 * @param sps of the baseline profile; the unit without its start code
 * @param slice the picture's first slice, a unit without its start code
 * @returns undefined for another profile or another kind of picture
 * @see ITU-T H.264, 7.3.2.1.1 and 7.3.3; 7.4.3 for the rule
 */
export function idrPictureId(sps: Uint8Array, slice: Uint8Array): number | undefined {
  const { isBaseline, frameNumberBits } = readSequenceStart(
    withoutEmulationPrevention(sps.subarray(1, HEADER_BYTES)),
  )
  if (!isBaseline || unitType(slice) !== IDR_SLICE) return undefined
  const header = readBits(withoutEmulationPrevention(slice.subarray(1, HEADER_BYTES)))
  header.unsigned() // first_mb_in_slice
  header.unsigned() // slice_type
  header.unsigned() // pic_parameter_set_id
  header.bits(frameNumberBits)
  return header.unsigned()
}
