import { asciiBytes, concatBytes, equalBytes, latin1 } from '#core/bytes'
import { unitType } from '../avc/annexB'
import { readSetLists } from '../heic/hevcStream'
import { entryBoxes, readAvcConfiguration } from '../mp4/sampleEntry'
import { numberAt, numberReader } from '../source/reading'
import { readAvcFormat, readHevcFormat, type VideoFormat } from './videoFormat'

/** How the samples of a track are coded, from a sample entry. */
export type CodedStream = {
  readonly kind: keyof typeof KINDS
  /** Bytes of the length before each unit of a sample. */
  readonly lengthSize: number
  /** The parameter sets in the entry: units without start codes. */
  readonly sets: readonly Uint8Array[]
}

const KINDS = {
  avc: { unitType, sps: 7, sets: [7, 8], read: readAvcFormat },
  hevc: {
    unitType: (unit: Uint8Array) => ((unit[0] ?? 0) >> 1) & 0x3f,
    sps: 33,
    sets: [32, 33, 34],
    read: readHevcFormat,
  },
} as const

/** @param entry of H.264 or HEVC, with its box header. @returns undefined of another codec, or without its configuration */
export function readCodedStream(entry: Uint8Array): CodedStream | undefined {
  const boxes = entryBoxes(entry)
  const avcC = boxes.find(({ type }) => type === 'avcC')
  const hvcC = boxes.find(({ type }) => type === 'hvcC')
  const avc = avcC && readAvcConfiguration(avcC.body)
  if (avc) return { kind: 'avc', lengthSize: avc.lengthSize, sets: [...avc.sps, ...avc.pps] }
  const lists = hvcC && readSetLists(hvcC.body)
  const lengthSize = ((hvcC?.body[21] ?? 0) & 3) + 1
  return lists && { kind: 'hevc', lengthSize, sets: lists.flatMap(({ sets }) => sets) }
}

/** Whether its entry has all that a decoder needs before the first sample. */
export function hasOwnSets({ kind, sets }: CodedStream): boolean {
  const { unitType: typeOf, sets: types } = KINDS[kind]
  return types.every((type) => sets.some((unit) => typeOf(unit) === type))
}

/** What the sequence parameter sets among units say; undefined for each that is damaged. */
export function formatsOf({ kind }: CodedStream, units: readonly Uint8Array[]): (VideoFormat | undefined)[] {
  const { unitType: typeOf, sps, read } = KINDS[kind]
  return units.filter((unit) => typeOf(unit) === sps).map(read)
}

/** More than any stream has at once. */
const MAX_FOREIGN_SETS = 64

/** The parameter sets in samples, or in their first bytes, that are not in the sample entry, each once. */
export function foreignSets(stream: CodedStream, samples: readonly Uint8Array[]): Uint8Array[] {
  const foreign: Uint8Array[] = []
  for (const sample of samples) {
    for (const { unit, isSet } of unitsOf(stream, sample)) {
      const isKnown = !isSet || [...stream.sets, ...foreign].some((known) => equalBytes(known, unit))
      if (!isKnown && foreign.length < MAX_FOREIGN_SETS) foreign.push(unit)
    }
  }
  return foreign
}

/** The sample without parameter sets. */
export function withoutSets(stream: CodedStream, sample: Uint8Array): Uint8Array {
  const units = unitsOf(stream, sample)
  return units.some(({ isSet }) => isSet)
    ? concatBytes(units.flatMap(({ isSet, coded }) => (isSet ? [] : [coded])))
    : sample
}

type Unit = { readonly unit: Uint8Array; readonly isSet: boolean; readonly coded: Uint8Array }

function unitsOf({ kind, lengthSize }: CodedStream, sample: Uint8Array): Unit[] {
  const { unitType: typeOf, sets } = KINDS[kind]
  const units: Unit[] = []
  for (let at = 0; at + lengthSize < sample.length; ) {
    const end = at + lengthSize + numberReader(sample, at)(lengthSize)
    const unit = sample.subarray(at + lengthSize, end)
    const isSet = sets.some((type) => type === typeOf(unit))
    units.push({ unit, isSet, coded: sample.subarray(at, end) })
    at = end
  }
  return units
}

/** Entries by which samples may have parameter sets of their own, and those by which all are in the entry. */
const OWN_SETS: Readonly<Record<string, string>> = { avc3: 'avc1', hev1: 'hvc1' }

/** `array_completeness` of a list of parameter sets. */
const COMPLETE = 0x80

/**
 * A sample entry that says that all parameter sets are in it, as Apple's programs want it.
 * @param entry as `cleanVideoEntry` makes it
 * @returns undefined when it does not lack that
 * @see ISO/IEC 14496-15, 8.3.3.1.1 and 8.4.1.1
 */
export function withOwnSets(entry: Uint8Array): Uint8Array | undefined {
  const code = OWN_SETS[latin1(entry, 4, 8)]
  if (code === undefined) return undefined
  const changed = entry.slice()
  changed.set(asciiBytes(code), 4)
  const hvcC = entryBoxes(changed).find(({ type }) => type === 'hvcC')?.body
  if (!hvcC) return changed
  for (const { start } of readSetLists(hvcC) ?? []) {
    const first = numberAt(hvcC, start)
    // Of other units, such as SEI, samples may always have more.
    if (KINDS.hevc.sets.some((type) => type === (first & 0x3f))) hvcC[start] = first | COMPLETE
  }
  return changed
}
