import type { BitReader } from '../avc/bits'
import { readChroma, readCrop, readSet, type VideoFormat } from './videoFormat'

const PROFILES: Readonly<Record<number, string>> = {
  66: 'Baseline',
  77: 'Main',
  88: 'Extended',
  100: 'High',
  110: 'High 10',
  122: 'High 4:2:2',
  244: 'High 4:4:4 Predictive',
}

/** Profiles whose sets do not say how colour is sampled: with 8 bits, 4:2:0. */
const PLAIN = new Set([66, 77, 88])

/** @param unit a sequence parameter set of H.264. @see `readSet`; ITU-T H.264, 7.3.2.1.1 */
export function readAvcFormat(unit: Uint8Array): VideoFormat | undefined {
  return readSet(unit, 1, (set) => {
    const profile = set.bits(8)
    set.bits(8) // constraint flags
    const level = set.bits(8) / 10
    set.unsigned() // seq_parameter_set_id
    const { chroma, bitDepth } = PLAIN.has(profile) ? PLAIN_COLOUR : readColour(set)
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
      profile: PROFILES[profile] ?? `profile ${profile}`,
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
