import { viewOf } from '#core/bytes'
import type { AvcConfiguration } from '../mp4/sampleEntry'

const START_CODE = Uint8Array.of(0, 0, 0, 1)

/** The parameter sets with start codes: what a decoder must read before the first sample. */
export function parameterSets({ sps, pps }: AvcConfiguration): Uint8Array[] {
  return [...sps, ...pps].flatMap((unit) => [START_CODE, unit])
}

/**
 * The NAL units of a sample with a start code before each, in place of their lengths.
 * @param lengthSize bytes of each length: 1, 2 or 4
 * @throws RangeError when a unit is cut
 * @see ITU-T H.264, annex B
 */
export function encodeAnnexB(sample: Uint8Array, lengthSize: number): Uint8Array[] {
  return readUnits(sample, lengthSize).flatMap((unit) => [START_CODE, unit])
}

/**
 * The NAL units of a sample, without their lengths.
 * @param lengthSize bytes of each length: 1, 2 or 4
 * @throws RangeError when a unit is cut
 * @see ISO/IEC 14496-15, 5.3
 */
export function readUnits(sample: Uint8Array, lengthSize: number): Uint8Array[] {
  const view = viewOf(sample)
  const units: Uint8Array[] = []
  for (let at = 0; at < sample.length; ) {
    const start = at + lengthSize
    if (start > sample.length) throw new RangeError('the length of a unit is cut')
    const end = start + readLength(view, at, lengthSize)
    if (end > sample.length) throw new RangeError(`a unit ends at ${end} of ${sample.length} bytes`)
    units.push(sample.subarray(start, end))
    at = end
  }
  return units
}

function readLength(view: DataView, at: number, lengthSize: number): number {
  if (lengthSize === 1) return view.getUint8(at)
  return lengthSize === 2 ? view.getUint16(at) : view.getUint32(at)
}
