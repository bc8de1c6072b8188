import { type AvcStream, LENGTH_BYTES, readUnits } from './annexB'
import { idrPictureId } from './predictedSlice'

/**
 * Those of some key frames that may stand before another one: two in succession must have different identifiers.
 * @param sps the parameter set of all of them
 * @param pictures as `readAvcStream` reads them
 * @param next the sample that follows, its units with lengths of four bytes
 * @see ITU-T H.264, 7.4.3, idr_pic_id
 * @example
 * const [head] = keyFramesUnlike(sps, pictures, samples[0])
 */
export function keyFramesUnlike(
  sps: Uint8Array,
  pictures: AvcStream['pictures'],
  next: Uint8Array | undefined,
): AvcStream['pictures'] {
  const following = next && firstSliceId(sps, readUnits(next, LENGTH_BYTES) ?? [])
  return pictures.filter((units) => firstSliceId(sps, units) !== following)
}

function firstSliceId(sps: Uint8Array, units: readonly Uint8Array[]): number | undefined {
  return units.map((unit) => idrPictureId(sps, unit)).find((id) => id !== undefined)
}
