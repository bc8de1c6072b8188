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
export type Chroma = (typeof CHROMAS)[number]

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
export function readSet(
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
export function readChroma(set: BitReader): Chroma {
  const number = set.unsigned()
  if (number === 3) set.bits(1) // separate_colour_plane_flag
  return CHROMAS[number] ?? '4:4:4'
}

/** Reads the window that is shown. @returns pixels that are cut off the width and the height */
export function readCrop(set: BitReader, chroma: Chroma): readonly [width: number, height: number] {
  if (set.bits(1) === 0) return [0, 0]
  const [left, right, top, bottom] = [set.unsigned(), set.unsigned(), set.unsigned(), set.unsigned()]
  const isHalfWidth = chroma === '4:2:0' || chroma === '4:2:2'
  return [(left + right) * (isHalfWidth ? 2 : 1), (top + bottom) * (chroma === '4:2:0' ? 2 : 1)]
}
