/** Kinds of NAL units. @see ITU-T H.264, table 7-1 */
export const SLICE = 1
export const IDR_SLICE = 5
export const SPS = 7
export const PPS = 8

/** @param unit without its start code */
export function unitType(unit: Uint8Array): number {
  return (unit[0] ?? 0) & 0x1f
}
