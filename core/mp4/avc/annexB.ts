import { concatBytes } from '@lantern-room/base/bytes'
import type { AvcConfiguration } from '../movie/sampleEntry'
import { numberReader } from '../source/reading'

/** Kinds of NAL units. @see ITU-T H.264, table 7-1 */
export const SLICE = 1
export const IDR_SLICE = 5
const SPS = 7
const PPS = 8

/** An H.264 byte stream, taken apart. */
export type AvcStream = {
  /** The first of each, without start codes. */
  readonly sps: Uint8Array | undefined
  readonly pps: Uint8Array | undefined
  /** The slices of each picture, in decoding order; messages and delimiters are left out. */
  readonly pictures: readonly (readonly Uint8Array[])[]
}

/** Reads an H.264 byte stream. @see ITU-T H.264, Annex B and table 7-1 */
export function readAvcStream(bytes: Uint8Array): AvcStream {
  const units = splitUnits(bytes)
  const pictures: Uint8Array[][] = []
  for (const unit of units) {
    const type = unitType(unit)
    if (type !== SLICE && type !== IDR_SLICE) continue
    // A slice that starts with macroblock 0, written as a single set bit, begins a picture.
    const isFirst = ((unit[1] ?? 0) & 0x80) !== 0
    if (isFirst || pictures.length === 0) pictures.push([])
    pictures.at(-1)?.push(unit)
  }
  return {
    sps: units.find((unit) => unitType(unit) === SPS),
    pps: units.find((unit) => unitType(unit) === PPS),
    pictures,
  }
}

/** The size of the length field before each unit in a sample of a preview or clip. */
export const LENGTH_BYTES = 4

/** A picture as a sample of an MP4: each unit after its length in four bytes. @see ISO/IEC 14496-15, 5.3.4.2 */
export function encodeAvcSample(units: readonly Uint8Array[]): Uint8Array {
  return concatBytes(
    units.flatMap((unit) => [
      Uint8Array.of(unit.length >>> 24, unit.length >>> 16, unit.length >>> 8, unit.length),
      unit,
    ]),
  )
}

/** @param unit without its start code */
export function unitType(unit: Uint8Array): number {
  return (unit[0] ?? 0) & 0x1f
}

/** The units between start codes 00 00 01, without the zeros that may follow them. */
function splitUnits(bytes: Uint8Array): Uint8Array[] {
  const starts: number[] = []
  for (let at = bytes.indexOf(1, 2); at !== -1; at = bytes.indexOf(1, at + 1)) {
    if (bytes[at - 1] === 0 && bytes[at - 2] === 0) starts.push(at + 1)
  }
  return starts.map((start, index) => {
    const next = starts[index + 1]
    let end = next === undefined ? bytes.length : next - 3
    // A unit never ends with a zero byte.
    while (end > start && bytes[end - 1] === 0) end -= 1
    return bytes.subarray(start, end)
  })
}

export const START_CODE = Uint8Array.of(0, 0, 0, 1)

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
  const units = readUnits(sample, lengthSize)
  if (!units) throw new RangeError('a unit of a sample is cut')
  return units.flatMap((unit) => [START_CODE, unit])
}

/** A picture has at most 600 slices, and some sets and messages. @see ITU-T H.265, table A.8 */
const MAX_UNITS = 4096

/**
 * The NAL units of a sample of H.264 or HEVC, without their lengths.
 * @param lengthSize bytes of each length, 1 to 4
 * @returns undefined when a unit is cut or empty, or there are more than any picture has
 * @see ISO/IEC 14496-15, 5.3
 */
export function readUnits(sample: Uint8Array, lengthSize: number): Uint8Array[] | undefined {
  const units: Uint8Array[] = []
  for (let at = 0; at < sample.length; ) {
    const start = at + lengthSize
    const end = start + numberReader(sample, at)(lengthSize)
    if (!(end > start && end <= sample.length) || units.length === MAX_UNITS) return undefined
    units.push(sample.subarray(start, end))
    at = end
  }
  return units
}
