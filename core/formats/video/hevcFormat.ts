import type { BitReader } from '../avc/bits'
import { readChroma, readCrop, readSet, type VideoFormat } from './videoFormat'

const PROFILES: Readonly<Record<number, string>> = {
  1: 'Main',
  2: 'Main 10',
  3: 'Main Still Picture',
  4: 'Range Extensions',
}

/** @param unit a sequence parameter set of HEVC. @see `readSet`; ITU-T H.265, 7.3.2.2.1 and 7.3.3 */
export function readHevcFormat(unit: Uint8Array): VideoFormat | undefined {
  return readSet(unit, 2, (set) => {
    set.bits(4) // sps_video_parameter_set_id
    const furtherLayers = set.bits(3)
    set.bits(4) // sps_temporal_id_nesting_flag, general_profile_space, general_tier_flag
    const profile = set.bits(5)
    set.bits(32) // general_profile_compatibility_flag
    const [isProgressive, isInterlaced] = [set.bits(1) === 1, set.bits(1) === 1]
    set.bits(30)
    set.bits(16) // the rest of 48 bits
    const level = set.bits(8) / 30
    skipLayers(set, furtherLayers)
    set.unsigned() // sps_seq_parameter_set_id
    const chroma = readChroma(set)
    const [width, height] = [set.unsigned(), set.unsigned()]
    const [cutWidth, cutHeight] = readCrop(set, chroma)
    return {
      codec: 'HEVC',
      profile: PROFILES[profile] ?? `profile ${profile}`,
      level,
      bitDepth: 8 + Math.max(set.unsigned(), set.unsigned()),
      chroma,
      // Both are set where each picture says it.
      isInterlaced: isInterlaced && !isProgressive,
      width: width - cutWidth,
      height: height - cutHeight,
    }
  })
}

/** Skips profiles and levels of temporal layers. */
function skipLayers(set: BitReader, count: number): void {
  const present = Array.from({ length: count > 0 ? 8 : 0 }, () => [set.bits(1), set.bits(1)])
  for (const [hasProfile, hasLevel] of present.slice(0, count)) {
    for (let byte = 0; byte < (hasProfile ? 11 : 0); byte++) set.bits(8)
    if (hasLevel) set.bits(8)
  }
}
