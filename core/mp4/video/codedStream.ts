import { asciiBytes, latin1 } from '@lantern-room/base/bytes'
import { entryBoxes, readAvcConfiguration } from '../movie/sampleEntry'
import { numberAt, numberReader } from '../source/reading'
import { readSetLists } from './hevcStream'
import { readAvcFormat, readHevcFormat, type VideoFormat } from './videoFormat'

/** How the samples of a track are coded, from a sample entry. */
export type CodedStream = {
  readonly kind: keyof typeof KINDS
  /** Bytes of the length before each unit of a sample. */
  readonly lengthSize: number
  /** The parameter sets in the entry: units without start codes. */
  readonly sets: readonly Uint8Array[]
}

/** How a unit's type is in its first byte, and which of them are parameter sets. */
const KINDS = {
  avc: { typeOf: (first: number) => first & 0x1f, sps: 7, sets: [7, 8], read: readAvcFormat },
  hevc: {
    typeOf: (first: number) => (first >> 1) & 0x3f,
    sps: 33,
    sets: [32, 33, 34],
    read: readHevcFormat,
  },
} as const

/**
 * How the samples of a track are coded.
 * @param entry of H.264 or HEVC, with its box header.
 * @returns undefined of another codec, or without its configuration
 * @example
 * readCodedStream(track.sampleEntry)?.kind // 'hevc'
 */
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

/**
 * Whether its entry has all that a decoder needs before the first sample.
 * @example
 * const stream = readCodedStream(track.sampleEntry)
 * const isComplete = stream !== undefined && hasOwnSets(stream)
 */
export function hasOwnSets({ kind, sets }: CodedStream): boolean {
  const { typeOf, sets: types } = KINDS[kind]
  return types.every((type) => sets.some(([first = 0]) => typeOf(first) === type))
}

/**
 * What the sequence parameter sets among units say; undefined for each that is damaged.
 * @example
 * const stream = readCodedStream(track.sampleEntry)
 * const [format] = stream ? formatsOf(stream, stream.sets) : []
 */
export function formatsOf({ kind }: CodedStream, units: readonly Uint8Array[]): (VideoFormat | undefined)[] {
  const { typeOf, sps, read } = KINDS[kind]
  return units.filter(([first = 0]) => typeOf(first) === sps).map(read)
}

/** More than any stream has at once. */
const MAX_FOREIGN_SETS = 64
/** One more than a set of an entry can have. */
const MAX_KEY_BYTES = 0x10000

/**
 * The parameter sets in samples, or in their first bytes, that are not in the sample entry, each once.
 * @example
 * const isComplete = hasOwnSets(stream) || foreignSets(stream, keyFrames).length > 0
 */
export function foreignSets(stream: CodedStream, samples: readonly Uint8Array[]): Uint8Array[] {
  const known = new Set(stream.sets.map((set) => latin1(set)))
  const foreign: Uint8Array[] = []
  for (const sample of samples) {
    for (const { start, end, isSet } of unitsOf(stream, sample)) {
      if (foreign.length === MAX_FOREIGN_SETS) return foreign
      if (!isSet) continue
      const set = sample.subarray(start + stream.lengthSize, end)
      const key = latin1(set, 0, MAX_KEY_BYTES)
      if (!known.has(key)) foreign.push(set)
      known.add(key)
    }
  }
  return foreign
}

/** The sample without parameter sets. */
export function withoutSets(stream: CodedStream, sample: Uint8Array): Uint8Array {
  let kept: Uint8Array | undefined
  let length = 0
  for (const { start, end, isSet } of unitsOf(stream, sample)) {
    if (isSet) kept ??= sample.slice()
    else {
      kept?.copyWithin(length, start, end)
      length += end - start
    }
  }
  return kept?.subarray(0, length) ?? sample
}

/**
 * Whether pictures of further layers are among a stream's, such as those for the other eye in spatial video (MV-HEVC).
 * @see ITU-T H.265, 7.4.2.2 (nuh_layer_id); ISO/IEC 14496-15, 9.5 (lhvC)
 */
export function hasLayers(stream: CodedStream, entry: Uint8Array, samples: readonly Uint8Array[]): boolean {
  if (stream.kind !== 'hevc') return false
  if (entryBoxes(entry).some(({ type }) => type === 'lhvC')) return true
  return samples.some((sample) => {
    for (const { start } of unitsOf(stream, sample)) {
      const at = start + stream.lengthSize
      const layer = ((sample[at] ?? 0) & 1) * 32 + ((sample[at + 1] ?? 0) >> 3)
      if (layer > 0) return true
    }
    return false
  })
}

/** The units of a sample with their lengths, one after the other: a hostile sample has millions. */
function* unitsOf({ kind, lengthSize }: CodedStream, sample: Uint8Array) {
  const { typeOf, sets } = KINDS[kind]
  const types = new Set<number>(sets)
  for (let start = 0; start + lengthSize < sample.length; ) {
    const first = start + lengthSize
    const end = Math.min(first + numberReader(sample, start)(lengthSize), sample.length)
    yield { start, end, isSet: types.has(typeOf(numberAt(sample, first))) }
    start = end
  }
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
 * @example
 * const entry = withOwnSets(track.sampleEntry) ?? track.sampleEntry // hev1 becomes hvc1
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
