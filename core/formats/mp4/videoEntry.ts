import { asciiBytes, concatBytes, latin1 } from '#core/bytes'
import { type Box, encodeBox, readBoxHeader } from './boxes'

/** Fields common to all video entries, with the box header. */
const FIELDS_END = 86

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
  if (configuration === undefined || entry.length < FIELDS_END) return undefined
  const fields = entry.slice(8, FIELDS_END)
  // Version, vendor and qualities in QuickTime; reserved in MP4.
  fields.fill(0, 8, 24)
  const boxes = readBoxesLeniently(entry.subarray(FIELDS_END))
  if (!boxes.some(({ type }) => type === configuration)) return undefined
  return encodeBox(
    codec,
    fields,
    ...boxes.map(({ type, body }) => encodeBox(type, type === 'colr' ? isoColours(body) : body)),
  )
}

/** Boxes up to the first that is none: QuickTime may end them with four zero bytes. */
function readBoxesLeniently(bytes: Uint8Array): Pick<Box, 'type' | 'body'>[] {
  const boxes: Pick<Box, 'type' | 'body'>[] = []
  for (let at = 0; at + 8 <= bytes.length; ) {
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
