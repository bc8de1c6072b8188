import { type BitReader, readBits, withoutEmulationPrevention } from '../avc/bits'

/** What a decoder must be able to do for a video, from a sequence parameter set of it. */
export type VideoFormat = {
  readonly codec: 'H.264' | 'HEVC'
  /** Such as `High`. */
  readonly profile: string
  /** Such as 3.1. */
  readonly level: number
  /** Of brightness or colour, whichever has more. */
  readonly bitDepth: number
  readonly chroma: Chroma
  readonly isInterlaced: boolean
  /** Pixels that are shown. */
  readonly width: number
  readonly height: number
}

/** How densely colour is sampled; the index is the number in parameter sets. */
export const CHROMAS = ['4:0:0', '4:2:0', '4:2:2', '4:4:4'] as const
type Chroma = (typeof CHROMAS)[number]

/** No set is longer up to the fields that are read. */
const MAX_SET_BYTES = 1024

/** More than any decoder takes. */
const MAX_SIDE = 16_384

/**
 * Reads a sequence parameter set.
 * @param unit without its start code
 * @param headerBytes of a unit: 1 in H.264, 2 in HEVC
 * @returns undefined when it is cut or says something impossible
 */
function readSet(
  unit: Uint8Array,
  headerBytes: number,
  read: (set: BitReader) => VideoFormat,
): VideoFormat | undefined {
  const payload = withoutEmulationPrevention(unit.subarray(headerBytes, MAX_SET_BYTES))
  const set = readBits(payload)
  const format = read(set)
  const isCut = set.position() > payload.length * 8
  const areSides = [format.width, format.height].every((side) => side > 0 && side <= MAX_SIDE)
  return isCut || !areSides || format.bitDepth > 16 ? undefined : format
}

/** Reads `chroma_format_idc`, and whether the planes of 4:4:4 are apart. */
function readChroma(set: BitReader): Chroma {
  const number = set.unsigned()
  if (number === 3) set.bits(1) // separate_colour_plane_flag
  return CHROMAS[number] ?? '4:4:4'
}

/** Reads the window that is shown. @returns pixels that are cut off the width and the height */
function readCrop(set: BitReader, chroma: Chroma): readonly [width: number, height: number] {
  if (set.bits(1) === 0) return [0, 0]
  const [left, right, top, bottom] = [set.unsigned(), set.unsigned(), set.unsigned(), set.unsigned()]
  const isHalfWidth = chroma === '4:2:0' || chroma === '4:2:2'
  return [(left + right) * (isHalfWidth ? 2 : 1), (top + bottom) * (chroma === '4:2:0' ? 2 : 1)]
}

const AVC_PROFILES: Readonly<Record<number, string>> = {
  66: 'Baseline',
  77: 'Main',
  88: 'Extended',
  100: 'High',
  110: 'High 10',
  122: 'High 4:2:2',
  244: 'High 4:4:4 Predictive',
}

/** Profiles whose sets do not say how colour is sampled: with 8 bits, 4:2:0. */
const PLAIN_AVC = new Set([66, 77, 88])

/** @param unit a sequence parameter set of H.264. @see `readSet`; ITU-T H.264, 7.3.2.1.1 */
export function readAvcFormat(unit: Uint8Array): VideoFormat | undefined {
  return readSet(unit, 1, (set) => {
    const profile = set.bits(8)
    set.bits(8) // constraint flags
    const level = set.bits(8) / 10
    set.unsigned() // seq_parameter_set_id
    const { chroma, bitDepth } = PLAIN_AVC.has(profile) ? PLAIN_COLOUR : readColour(set)
    set.unsigned() // log2_max_frame_num_minus4
    skipOrder(set)
    set.unsigned() // max_num_ref_frames
    set.bits(1) // gaps_in_frame_num_value_allowed_flag
    const [columns, rows] = [set.unsigned() + 1, set.unsigned() + 1]
    const isInterlaced = set.bits(1) === 0 // frame_mbs_only_flag
    if (isInterlaced) set.bits(1)
    set.bits(1) // direct_8x8_inference_flag
    const fields = isInterlaced ? 2 : 1
    const [cutWidth, cutHeight] = readCrop(set, chroma)
    return {
      codec: 'H.264',
      profile: AVC_PROFILES[profile] ?? `profile ${profile}`,
      level,
      bitDepth,
      chroma,
      isInterlaced,
      width: columns * 16 - cutWidth,
      height: (rows * 16 - cutHeight) * fields,
    }
  })
}

type Colour = Pick<VideoFormat, 'chroma' | 'bitDepth'>

const PLAIN_COLOUR: Colour = { chroma: '4:2:0', bitDepth: 8 }

function readColour(set: BitReader): Colour {
  const chroma = readChroma(set)
  const bitDepth = 8 + Math.max(set.unsigned(), set.unsigned())
  set.bits(1) // qpprime_y_zero_transform_bypass_flag
  if (set.bits(1) === 1) skipScalingLists(set, chroma === '4:4:4' ? 12 : 8)
  return { chroma, bitDepth }
}

function skipScalingLists(set: BitReader, count: number): void {
  for (let list = 0; list < count; list++) {
    const isPresent = set.bits(1) === 1
    const size = list < 6 ? 16 : 64
    let scale = 8
    for (let at = 0; isPresent && at < size && scale !== 0; at++)
      scale = (scale + readSigned(set) + 256) % 256
  }
}

function readSigned(set: BitReader): number {
  const code = set.unsigned()
  return code % 2 === 1 ? (code + 1) / 2 : -code / 2
}

/** Skips how the order of pictures is given. */
function skipOrder(set: BitReader): void {
  const type = set.unsigned()
  if (type === 0) set.unsigned()
  if (type !== 1) return
  set.bits(1)
  set.unsigned()
  set.unsigned()
  for (let left = Math.min(255, set.unsigned()); left > 0; left--) set.unsigned()
}

const HEVC_PROFILES: Readonly<Record<number, string>> = {
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
      profile: HEVC_PROFILES[profile] ?? `profile ${profile}`,
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
