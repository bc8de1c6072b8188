import { concatBytes } from '@lantern-room/base/bytes'
import { encodeAvcSample } from '#internal/mp4/avc/annexB'
import { payload } from './payload'

/**
 * Baseline, level 3.1: seq_parameter_set_id 0, frame numbers of four bits, shown in their order, two reference pictures, no
 * gaps, 1 × 1 macroblocks, progressive.
 */
export const SPS_BITS = '01000010 11000000 00011111 1 1 011 011 0 1 1 1'
/** CAVLC, one slice group, one reference picture, no weights, deblocking_filter_control_present_flag. */
export const PPS_BITS = '1 1 0 0 1 1 1 0 00 1 1 1 1 0 0'

export const unit = (first: number, bits: string) => concatBytes([Uint8Array.of(first), payload(bits)])

export const PARAMETERS = { sps: unit(0x67, SPS_BITS), pps: unit(0x68, PPS_BITS) }

/** What follows the header; of its zeros one start code would become if nothing prevented it. */
export const CONTENT = '0110 00000000 00000000 00000001 1011'

/** A key frame. */
export const key = () => encodeAvcSample([unit(0x65, `1 0001000 1 0000 1 ${CONTENT}`)])

/** A picture that is predicted from the one before, or the one before that. */
export function predicted(frameNumber: number, distance: 1 | 2, first = 0x41): Uint8Array {
  return encodeAvcSample([predictedUnit(frameNumber, distance, first)])
}

export function predictedUnit(frameNumber: number, distance: 1 | 2, first = 0x41): Uint8Array {
  const number = (frameNumber % 16).toString(2).padStart(4, '0')
  const list = distance === 1 ? '0' : '1 1 010 00100'
  return unit(first, `1 00110 1 ${number} 0 ${list} 0 ${CONTENT}`)
}

/** As previews are: each picture is predicted from the newest one of an even number. */
export function group(pictures: number): Uint8Array[] {
  return Array.from({ length: pictures }, (_, place) => {
    if (place === 0) return key()
    return predicted(place, place % 2 === 0 ? 2 : 1)
  })
}
