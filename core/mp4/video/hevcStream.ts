import { concatBytes } from '@lantern-room/base/bytes'
import { readUnits, START_CODE } from '../avc/annexB'
import { readParameterSets } from '../movie/sampleEntry'
import { numberAt, numberReader } from '../source/reading'

/** Bytes of a configuration before its lists of parameter sets. */
const FIELDS_SIZE = 23

/**
 * Turns a coded picture, as a HEIC has it, into a byte stream that decoders of HEVC take: its parameter sets, then its units, each
 * after a start code.
 * @param configuration content of a box `hvcC`
 * @param sample units, each after its length
 * @returns undefined when one of them is cut
 * @see ISO/IEC 14496-15, 8.3.3.1.2; ITU-T H.265, annex B
 * @example
 * const bytes = hevcStream(hvcC.body, sample) // 00 00 00 01, a parameter set, …
 */
export function hevcStream(configuration: Uint8Array, sample: Uint8Array): Uint8Array | undefined {
  const lists = readSetLists(configuration)
  const units = lists && readUnits(sample, (numberAt(configuration, 21) & 3) + 1)
  if (!units) return undefined
  return concatBytes([...lists.flatMap(({ sets }) => sets), ...units].flatMap((unit) => [START_CODE, unit]))
}

export type SetList = {
  /** Where in the configuration the list begins: with its type, and above it whether it is complete. */
  readonly start: number
  readonly sets: readonly Uint8Array[]
  readonly end: number
}

/** In one list; an encoder writes one or two. Sets without a byte take two in a file, and a hundred times as much as views. */
const MAX_SETS = 256

/** @param configuration content of a box `hvcC`. @returns undefined when it is cut, or has more sets than any stream */
export function readSetLists(configuration: Uint8Array): SetList[] | undefined {
  if (configuration.length < FIELDS_SIZE) return undefined
  const lists: SetList[] = []
  for (let left = numberAt(configuration, FIELDS_SIZE - 1); left > 0; left--) {
    const start = lists.at(-1)?.end ?? FIELDS_SIZE
    // The type of the sets, and their number in two bytes.
    const count = numberReader(configuration, start + 1)(2)
    const list = count <= MAX_SETS ? readParameterSets(configuration, start + 3, count) : undefined
    if (!list) return undefined
    lists.push({ start, sets: list.units, end: list.end })
  }
  return lists
}
