import { concatBytes } from '#core/bytes'
import { numberAt } from '../source/reading'
import { numberReader } from './heicItems'

const START_CODE = Uint8Array.of(0, 0, 0, 1)

/** Bytes of a configuration before its lists of parameter sets. */
const FIELDS_SIZE = 23

/**
 * Turns a coded picture of a HEIC into a byte stream that decoders of HEVC take: its parameter sets, then its units, each after
 * a start code.
 * @param configuration content of a box `hvcC`
 * @param sample units, each after its length
 * @returns undefined when one of them is cut
 * @see ISO/IEC 14496-15, 8.3.3.1.2; ITU-T H.265, annex B
 */
export function hevcStream(configuration: Uint8Array, sample: Uint8Array): Uint8Array | undefined {
  const lists = readSetLists(configuration)
  const units = lists && unitsOf(sample, (numberAt(configuration, 21) & 3) + 1)
  if (!units) return undefined
  return concatBytes([...lists.flatMap(({ sets }) => sets), ...units].flatMap((unit) => [START_CODE, unit]))
}

/** Parameter sets of one type. */
export type SetList = {
  /** Where in the configuration the list begins: with its type, and above it whether it is complete. */
  readonly start: number
  readonly sets: readonly Uint8Array[]
  readonly end: number
}

/** @param configuration content of a box `hvcC`. @returns undefined when it is cut */
export function readSetLists(configuration: Uint8Array): SetList[] | undefined {
  if (configuration.length < FIELDS_SIZE) return undefined
  const lists: SetList[] = []
  for (let left = numberAt(configuration, FIELDS_SIZE - 1); left > 0; left--) {
    const list = readList(configuration, lists.at(-1)?.end ?? FIELDS_SIZE)
    if (!list) return undefined
    lists.push(list)
  }
  return lists
}

/** Sets of one type: the type, their number in two bytes, and each after its length in two bytes. */
function readList(bytes: Uint8Array, start: number): SetList | undefined {
  const count = numberReader(bytes, start + 1)(2)
  if (Number.isNaN(count)) return undefined
  const sets: Uint8Array[] = []
  let at = start + 3
  for (let i = 0; i < count; i++) {
    const end = at + 2 + numberReader(bytes, at)(2)
    if (!(end <= bytes.length)) return undefined
    sets.push(bytes.subarray(at + 2, end))
    at = end
  }
  return { start, sets, end: at }
}

function unitsOf(sample: Uint8Array, lengthSize: number): Uint8Array[] | undefined {
  const units: Uint8Array[] = []
  for (let at = 0; at < sample.length; ) {
    const length = numberReader(sample, at)(lengthSize)
    const start = at + lengthSize
    if (!(length > 0) || start + length > sample.length) return undefined
    units.push(sample.subarray(start, start + length))
    at = start + length
  }
  return units
}
