import { asciiBytes, concatBytes, latin1, viewOf } from '@lantern-room/base/bytes'
import { type Box, encodeBox, readBoxes, readBoxHeader } from './boxes'

/** A track's first sample description. */
export type SampleEntry = {
  /** Four-character code: `avc1`, `mp4a`, … */
  readonly codec: string
  /** The whole entry with its box header, for writing a track like it. */
  readonly sampleEntry: Uint8Array
  /** How many descriptions the track has; its samples may then differ in codec or size. */
  readonly entryCount: number
  /** The descriptions after the first one, as far as they are whole. */
  readonly otherEntries: readonly Uint8Array[]
  /** Coded size of a video track, in pixels; 0 elsewhere. */
  readonly width: number
  readonly height: number
  readonly avc: AvcConfiguration | undefined
}

/** The `avcC` box: what an H.264 decoder must know before the first sample. */
export type AvcConfiguration = {
  readonly bytes: Uint8Array
  /** Bytes of the length before each unit in a sample: 1, 2 or 4. */
  readonly lengthSize: number
  /** NAL units without start codes. */
  readonly sps: readonly Uint8Array[]
  readonly pps: readonly Uint8Array[]
}

/**
 * Reads the first entry of an `stsd` box.
 * @returns undefined when it is cut or has no entry
 * @see ISO/IEC 14496-12, 8.5.2 and 12.1–12.2
 */
export function readSampleEntry(stsd: Box, kind: 'video' | 'audio' | 'other'): SampleEntry | undefined {
  const header = readBoxHeader(stsd.body, 8)
  if (header?.headerSize !== 8 || 8 + header.size > stsd.body.length) return undefined
  const bytes = stsd.body.subarray(8, 8 + header.size)
  const plain = {
    codec: header.type,
    sampleEntry: bytes,
    entryCount: viewOf(stsd.body).getUint32(4),
    otherEntries: (readBoxes(stsd.body.subarray(8)) ?? [])
      .slice(1, MAX_ENTRIES)
      .map(({ start, size }) => stsd.body.subarray(8 + start, 8 + start + size)),
    width: 0,
    height: 0,
    avc: undefined,
  }
  if (bytes.length < FIELDS_END[kind]) return undefined
  if (kind !== 'video') return plain
  const avcC = readBoxes(bytes.subarray(VIDEO_FIELDS_END))?.find((box) => box.type === 'avcC')
  const avc = avcC && readAvcConfiguration(avcC.body)
  if (avcC && !avc) return undefined
  return { ...plain, width: viewOf(bytes).getUint16(32), height: viewOf(bytes).getUint16(34), avc }
}

/** A recording that is put together of many pieces has one for each. */
const MAX_ENTRIES = 64

const VIDEO_FIELDS_END = 86

/** Fields common to all entries of a kind, with the box header. */
const FIELDS_END = { video: VIDEO_FIELDS_END, audio: 36, other: 8 } as const

/** @returns undefined when it is cut. @see ISO/IEC 14496-15, 5.3.3.1 */
export function readAvcConfiguration(bytes: Uint8Array): AvcConfiguration | undefined {
  const [version, , , , lengthBits, spsBits] = bytes
  if (version !== 1 || lengthBits === undefined || spsBits === undefined) return undefined
  const sps = readParameterSets(bytes, 6, spsBits & 0x1f)
  const ppsCount = sps && bytes[sps.end]
  const pps = sps && ppsCount !== undefined ? readParameterSets(bytes, sps.end + 1, ppsCount) : undefined
  if (!sps || !pps) return undefined
  return { bytes, lengthSize: (lengthBits & 3) + 1, sps: sps.units, pps: pps.units }
}

/** Parameter sets, each after its length in two bytes. @returns undefined when one is cut */
export function readParameterSets(
  bytes: Uint8Array,
  start: number,
  count: number,
): { units: Uint8Array[]; end: number } | undefined {
  const view = viewOf(bytes)
  const units: Uint8Array[] = []
  let end = start
  for (let i = 0; i < count; i++) {
    if (end + 2 > bytes.length) return undefined
    const length = view.getUint16(end)
    if (end + 2 + length > bytes.length) return undefined
    units.push(bytes.subarray(end + 2, end + 2 + length))
    end += 2 + length
  }
  return { units, end }
}

const CONFIGURATIONS: Readonly<Record<string, string>> = {
  avc1: 'avcC',
  avc3: 'avcC',
  hvc1: 'hvcC',
  hev1: 'hvcC',
}

/**
 * A video entry of an MP4 or MOV, in the form that MP4 has: without QuickTime's own fields, without what follows the last
 * box, and with colours in the form of ISO (`nclx`).
 * @param entry with its box header
 * @returns undefined when it is neither AVC nor HEVC, or its decoder's configuration is missing
 * @see ISO/IEC 14496-12, 12.1; QuickTime File Format, "Video sample description"
 */
export function cleanVideoEntry(entry: Uint8Array): Uint8Array | undefined {
  const codec = latin1(entry, 4, 8)
  const configuration = CONFIGURATIONS[codec]
  if (configuration === undefined || entry.length < VIDEO_FIELDS_END) return undefined
  const fields = entry.slice(8, VIDEO_FIELDS_END)
  // Version, vendor and qualities in QuickTime; reserved in MP4.
  fields.fill(0, 8, 24)
  const boxes = entryBoxes(entry)
  if (!boxes.some(({ type }) => type === configuration)) return undefined
  return encodeBox(
    codec,
    fields,
    ...boxes.map(({ type, body }) => encodeBox(type, type === 'colr' ? isoColours(body) : body)),
  )
}

/** More than any writer puts into an entry. */
const MAX_ENTRY_BOXES = 256

/** The boxes in a video entry, up to the first that is none: QuickTime may end them with four zero bytes. */
export function entryBoxes(entry: Uint8Array): Pick<Box, 'type' | 'body'>[] {
  const bytes = entry.subarray(VIDEO_FIELDS_END)
  const boxes: Pick<Box, 'type' | 'body'>[] = []
  for (let at = 0; at + 8 <= bytes.length && boxes.length < MAX_ENTRY_BOXES; ) {
    const header = readBoxHeader(bytes, at)
    if (!header || header.size < 8 || at + header.size > bytes.length) break
    boxes.push({ type: header.type, body: bytes.subarray(at + header.headerSize, at + header.size) })
    at += header.size
  }
  return boxes
}

/** QuickTime's `nclc` lacks the last byte of `nclx`, which says whether all values are used; the stream itself says so, too. */
function isoColours(body: Uint8Array): Uint8Array {
  if (latin1(body, 0, 4) !== 'nclc' || body.length < 10) return body
  return concatBytes([asciiBytes('nclx'), body.subarray(4, 10), Uint8Array.of(0)])
}
