import { concatBytes } from '@lantern-room/base/bytes'
import { encodeAvcSample, IDR_SLICE, LENGTH_BYTES, readUnits, SLICE, unitType } from './annexB'
import { replaceBits, withEmulationPrevention, withoutEmulationPrevention } from './bits'
import { readPredictedSlice, readSliceSyntax, type SliceSyntax } from './predictedSlice'

/** How many pictures before it each picture that is kept must be predicted from. */
const STEP = 2

/**
 * The first, third, fifth… picture of each group of a stream, if none of them needs the others, as in previews
 * (`PREVIEW_VIDEO`). What remains is an ordinary stream: its frames are numbered in succession, and each is predicted from the
 * one before. Only headers of slices change, so that the pictures stay the same, bit by bit.
 * @param samples from an IDR picture on; units after lengths of four bytes
 * @param parameters of the stream, units without start codes
 * @returns undefined when a picture that stays would need one that goes, or follow another one directly, or a sample is damaged
 * @see ITU-T H.264, 7.3.3 and 8.2.4
 */
export function keepEverySecond(
  samples: readonly Uint8Array[],
  { sps, pps }: { readonly sps: Uint8Array; readonly pps: Uint8Array },
): Uint8Array[] | undefined {
  const syntax = readSliceSyntax(payloadOf(sps), payloadOf(pps))
  if (!syntax) return undefined
  const kept: Uint8Array[] = []
  let place = -1
  for (const sample of samples) {
    const units = readUnits(sample, LENGTH_BYTES)
    const isKey = units?.some((unit) => unitType(unit) === IDR_SLICE)
    const isDue = isKey ? place % STEP !== 0 : place >= 0
    if (!units || !isDue) return undefined
    place = isKey ? 0 : place + 1
    if (place % STEP !== 0) continue
    const picture = isKey ? sample : renumber(syntax, units, place)
    if (!picture) return undefined
    kept.push(picture)
  }
  return kept
}

/** @param place of the picture in its group, counted from 0 */
function renumber(syntax: SliceSyntax, units: readonly Uint8Array[], place: number): Uint8Array | undefined {
  const renumbered: Uint8Array[] = []
  for (const unit of units) {
    const changed = unitType(unit) === SLICE ? renumberSlice(syntax, unit, place) : unit
    if (!changed) return undefined
    renumbered.push(changed)
  }
  return encodeAvcSample(renumbered)
}

function renumberSlice(syntax: SliceSyntax, unit: Uint8Array, place: number): Uint8Array | undefined {
  const { frameNumberBits } = syntax
  const numbers = 2 ** frameNumberBits
  const payload = payloadOf(unit)
  const slice = isReference(unit) ? readPredictedSlice(syntax, payload) : undefined
  if (slice?.distance !== STEP || slice.frameNumber !== place % numbers) return undefined
  const { frameNumberAt, distanceAt, distanceEnd } = slice
  const changed = replaceBits(payload, [
    {
      from: frameNumberAt,
      to: frameNumberAt + frameNumberBits,
      value: (place / STEP) % numbers,
      bits: frameNumberBits,
    },
    // ref_pic_list_modification_flag_l0: the picture before comes first by itself.
    { from: distanceAt, to: distanceEnd, value: 0, bits: 1 },
  ])
  return concatBytes([unit.subarray(0, 1), withEmulationPrevention(changed)])
}

/** Whether other pictures may be predicted from it: its `nal_ref_idc` is not 0. Only then it counts for frame numbers. */
function isReference(unit: Uint8Array): boolean {
  return ((unit[0] ?? 0) & 0x60) !== 0
}

/** The payload of a unit: all but its first byte. */
function payloadOf(unit: Uint8Array): Uint8Array {
  return withoutEmulationPrevention(unit.subarray(1))
}
