import { asciiBytes, concatBytes, equalBytes, hasBytesAt, viewOf } from '@lantern-room/base/bytes'
import { md5 } from './md5'
import type { PhotoChange } from './photoChange'
import { exifDateTime, exifOffset, type WallClock } from './wallClock'

export const APP13 = 0xed
export const PHOTOSHOP_MARK = asciiBytes('Photoshop 3.0\0')

const SIGNATURES = ['8BIM', 'PHUT', 'AgHg', 'DCSR', 'MeSa'].map(asciiBytes)
const IPTC = 0x0404
/** MD5 of IPTC: programs that find another one take XMP for out of date. */
const IPTC_DIGEST = 0x0425
/** Small pictures of the whole: Photoshop 4's, and that since Photoshop 5. */
const THUMBNAILS = [0x0409, 0x040c]

/**
 * Changes what Photoshop and IPTC say of a photo: its dates if others are given, with the check sum of IPTC where that was right before;
 * a thumbnail of other pixels is taken out.
 * @param payload of an APP13 segment, with its mark
 * @returns the payload itself where nothing changes, or it is damaged or a part of a larger one
 * @see Adobe Photoshop File Formats Specification, "Image Resource Blocks"; IPTC IIM 4.2
 */
export function changePhotoshop(payload: Uint8Array, change: PhotoChange): Uint8Array {
  const resources = readResources(payload)
  if (!resources) return payload
  const { takenAt, isDateGiven, pixels } = change
  const date = isDateGiven ? takenAt : undefined
  const kept = resources.filter(({ id }) => !pixels || !THUMBNAILS.includes(id))
  const isDated = date !== undefined && kept.some(({ id }) => id === IPTC)
  if (kept.length === resources.length && !isDated) return payload
  const copies = kept.map((resource) => {
    const { id, start, dataStart, dataEnd, end } = resource
    const bytes = payload.slice(start, end)
    return { id, bytes, data: bytes.subarray(dataStart - start, dataEnd - start) }
  })
  if (date) changeIptc(copies, date)
  return concatBytes([PHOTOSHOP_MARK, ...copies.map(({ bytes }) => bytes)])
}

type Copy = { readonly id: number; readonly data: Uint8Array }

function changeIptc(copies: readonly Copy[], date: WallClock): void {
  const iptc = copies.find(({ id }) => id === IPTC)?.data
  if (!iptc) return
  const digest = copies.find(({ id }) => id === IPTC_DIGEST)?.data
  const isCurrent = digest && equalBytes(digest, md5(iptc))
  writeDates(iptc, date)
  if (isCurrent) digest.set(md5(iptc))
}

/** @returns undefined when they are damaged */
function readResources(payload: Uint8Array) {
  const view = viewOf(payload)
  const resources: {
    readonly id: number
    readonly start: number
    readonly dataStart: number
    readonly dataEnd: number
    readonly end: number
  }[] = []
  let at = PHOTOSHOP_MARK.length
  while (at < payload.length) {
    const start = at
    if (!SIGNATURES.some((signature) => hasBytesAt(payload, start, signature)) || at + 12 > payload.length)
      return undefined
    const nameBytes = view.getUint8(at + 6) + 1
    const sizeAt = at + 6 + nameBytes + (nameBytes % 2)
    if (sizeAt + 4 > payload.length) return undefined
    const size = view.getUint32(sizeAt)
    const dataStart = sizeAt + 4
    // The last one may lack its filling.
    const end = Math.min(payload.length, dataStart + size + (size % 2))
    const dataEnd = dataStart + size
    if (dataEnd > payload.length) return undefined
    resources.push({ id: view.getUint16(at + 4), start, dataStart, dataEnd, end })
    at = end
  }
  return resources
}

/** Date and time of record 2 of IIM: creation, digital creation. */
const DATES = [55, 62]
const TIMES = [60, 63]

/** Writes over the dates of a record, whose lengths are given. */
function writeDates(iptc: Uint8Array, takenAt: WallClock): void {
  const [date = '', time = ''] = exifDateTime(takenAt).replaceAll(':', '').split(' ')
  const offset = exifOffset(takenAt)?.replace(':', '')
  const view = viewOf(iptc)
  for (let at = 0; at + 5 <= iptc.length && iptc[at] === 0x1c; at += 5 + view.getUint16(at + 3)) {
    const [record, dataset, length] = [iptc[at + 1], iptc[at + 2] ?? 0, view.getUint16(at + 3)]
    if (record !== 2 || at + 5 + length > iptc.length) continue
    if (DATES.includes(dataset) && length === 8) iptc.set(asciiBytes(date), at + 5)
    if (!TIMES.includes(dataset) || length < 6) continue
    iptc.set(asciiBytes(time), at + 5)
    if (offset && length === 11) iptc.set(asciiBytes(offset), at + 11)
  }
}
