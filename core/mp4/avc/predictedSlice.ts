import { IDR_SLICE, unitType } from './annexB'
import { type BitReader, readBits, withoutEmulationPrevention } from './bits'

const BASELINE = 66
/** Pictures are shown in the order of their frame numbers, so that slices say nothing of their order. */
const ORDER_BY_FRAME_NUMBER = 2
/** P slices have the types 0 and 5. */
const SLICE_TYPES = 5
/** Values of `modification_of_pic_nums_idc`: subtract from the previous number; no more changes. */
const SUBTRACT = 0
const END_OF_CHANGES = 3

/** What the parameter sets decide about the header of a slice. */
export type SliceSyntax = { readonly frameNumberBits: number }

/**
 * @param sps payload of the unit, from `profile_idc` on
 * @param pps payload of the unit
 * @returns undefined for streams with other than plain progressive pictures of the baseline profile, in decoding order, each
 *   predicted from one picture
 * @see ITU-T H.264, 7.3.2.1.1 and 7.3.2.2
 */
export function readSliceSyntax(sps: Uint8Array, pps: Uint8Array): SliceSyntax | undefined {
  const { isBaseline, frameNumberBits, rest: sequence } = readSequenceStart(sps)
  const order = sequence.unsigned()
  sequence.unsigned() // max_num_ref_frames
  sequence.bits(1) // gaps_in_frame_num_value_allowed_flag
  sequence.unsigned() // pic_width_in_mbs_minus1
  sequence.unsigned() // pic_height_in_map_units_minus1
  const isProgressive = sequence.bits(1) === 1
  const isPlain = isBaseline && order === ORDER_BY_FRAME_NUMBER && isProgressive
  return isPlain && arePicturesPlain(pps) ? { frameNumberBits } : undefined
}

/**
 * @param sps payload of the unit, from `profile_idc` on
 * @returns the reader after the length of frame numbers; of another profile than baseline all but `isBaseline` means nothing
 * @see ITU-T H.264, 7.3.2.1.1
 */
function readSequenceStart(sps: Uint8Array): {
  readonly isBaseline: boolean
  readonly frameNumberBits: number
  readonly rest: BitReader
} {
  const rest = readBits(sps)
  const isBaseline = rest.bits(8) === BASELINE
  rest.bits(16) // constraints, level_idc
  rest.unsigned() // seq_parameter_set_id
  return { isBaseline, frameNumberBits: rest.unsigned() + 4, rest }
}

/** Coded with CAVLC, in one slice group, from one reference picture without weights. */
function arePicturesPlain(pps: Uint8Array): boolean {
  const picture = readBits(pps)
  picture.unsigned() // pic_parameter_set_id
  picture.unsigned() // seq_parameter_set_id
  const isArithmetic = picture.bits(1)
  picture.bits(1) // bottom_field_pic_order_in_frame_present_flag
  const furtherGroups = picture.unsigned()
  const furtherReferences = picture.unsigned()
  picture.unsigned() // num_ref_idx_l1_default_active_minus1
  const isWeighted = picture.bits(1)
  picture.bits(2) // weighted_bipred_idc
  picture.unsigned() // pic_init_qp_minus26
  picture.unsigned() // pic_init_qs_minus26
  picture.unsigned() // chroma_qp_index_offset
  picture.bits(2) // deblocking_filter_control_present_flag, constrained_intra_pred_flag
  const isRedundant = picture.bits(1)
  return [isArithmetic, furtherGroups, furtherReferences, isWeighted, isRedundant].every(
    (value) => value === 0,
  )
}

/**
 * Reads of a slice that is predicted from one earlier picture where its header says so. Places are bits of the payload.
 * @param payload of a unit that is a slice of a reference picture, but not of an IDR picture
 * @returns `distance`: how many pictures before this one it is predicted from (1 is the one before); undefined for another kind of
 *   slice, and for one that does more than choose its picture
 * @see ITU-T H.264, 7.3.3, 7.3.3.1 and 7.3.3.3
 */
export function readPredictedSlice({ frameNumberBits }: SliceSyntax, payload: Uint8Array) {
  const header = readBits(payload)
  header.unsigned() // first_mb_in_slice
  const isPredicted = header.unsigned() % SLICE_TYPES === 0
  header.unsigned() // pic_parameter_set_id
  const frameNumberAt = header.position()
  const frameNumber = header.bits(frameNumberBits)
  // num_ref_idx_active_override_flag, num_ref_idx_l0_active_minus1
  const hasFurtherReferences = header.bits(1) === 1 && header.unsigned() > 0
  const distanceAt = header.position()
  const distance = readDistance(header)
  const distanceEnd = header.position()
  const marksReferences = header.bits(1) === 1 // adaptive_ref_pic_marking_mode_flag
  if (!isPredicted || hasFurtherReferences || marksReferences || distance === undefined) return undefined
  return { frameNumber, frameNumberAt, distance, distanceAt, distanceEnd }
}

/** @returns undefined when the list of references is changed in another way */
function readDistance(header: BitReader): number | undefined {
  const isChanged = header.bits(1) === 1
  if (!isChanged) return 1
  if (header.unsigned() !== SUBTRACT) return undefined
  const distance = header.unsigned() + 1
  return header.unsigned() === END_OF_CHANGES ? distance : undefined
}

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
