import { asciiBytes, concatBytes, latin1, viewOf } from '@lantern-room/base/bytes'
import {
  type Box,
  childrenOf,
  encodeBox,
  encodeFullBox,
  onlyBox,
  readBoxes,
  uint32List,
  uint32s,
} from '@lantern-room/mp4/boxes'

const PARENTS = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'edts']
/** Where a box is put that a track does not have. */
const HOMES: Readonly<Record<string, readonly string[]>> = { trak: ['edts'], stbl: ['ctts', 'co64'] }

/** Whole boxes by their types; an empty one is left out, and one of a type that the track does not have is added. */
type Changes = Readonly<Record<string, Uint8Array>>

/** The same MP4 with other boxes in the index of one of its tracks. */
export function withIndexBoxes(mp4: Uint8Array, handler: 'vide' | 'soun', changed: Changes): Uint8Array {
  return withIndex(mp4, (moov) =>
    encodeBox(
      'moov',
      ...(readBoxes(moov.body) ?? []).map((box) =>
        box.type === 'trak' && handlerOf(box) === handler ? changeBox(box, changed) : bytesOf(box),
      ),
    ),
  )
}

/** The same MP4 with another index, which comes last. The old one becomes empty space, so that no sample moves. */
function withIndex(mp4: Uint8Array, change: (moov: Box) => Uint8Array): Uint8Array {
  const moov = onlyBox(readBoxes(mp4) ?? [], 'moov')
  if (!moov) throw new Error('There is no index.')
  const before = mp4.slice()
  before.set(asciiBytes('free'), moov.start + 4)
  return concatBytes([before, change(moov)])
}

/** The same MP4 with the 64-bit form of each box that has one, and a table of composition offsets. */
export function inWideForm(mp4: Uint8Array): Uint8Array {
  return withIndex(mp4, widen)
}

function widen(box: Box): Uint8Array {
  const { type, body } = box
  const view = viewOf(body)
  if (PARENTS.includes(type)) {
    const stsz = type === 'stbl' ? onlyBox(readBoxes(body) ?? [], 'stsz') : undefined
    const ctts = stsz ? [tableBox('ctts', [viewOf(stsz.body).getUint32(8), 0])] : []
    return encodeBox(type, ...(readBoxes(body) ?? []).map(widen), ...ctts)
  }
  const words = (start: number, end: number) =>
    concatBytes(
      Array.from({ length: (end - start) / 4 }, (_, word) => uint32s(0, view.getUint32(start + word * 4))),
    )
  if (type === 'mvhd' || type === 'mdhd')
    return encodeFullBox(type, LONG, words(4, 12), body.subarray(12, 16), words(16, 20), body.subarray(20))
  if (type === 'tkhd')
    return encodeFullBox(type, LONG, words(4, 12), body.subarray(12, 20), words(20, 24), body.subarray(24))
  if (type === 'elst')
    return encodeFullBox(type, LONG, body.subarray(4, 8), words(8, 16), body.subarray(16, 20))
  if (type === 'stco') return encodeFullBox('co64', 0, body.subarray(4, 8), words(8, body.length))
  return bytesOf(box)
}

/** Version 1. */
const LONG = 0x1000000

function changeBox(box: Box, changed: Changes): Uint8Array {
  const other = changed[box.type]
  if (other) return other
  if (!PARENTS.includes(box.type)) return bytesOf(box)
  const children = readBoxes(box.body) ?? []
  const missing = (HOMES[box.type] ?? []).filter((type) => !children.some((child) => child.type === type))
  return encodeBox(
    box.type,
    ...children.map((child) => changeBox(child, changed)),
    ...missing.flatMap((type) => changed[type] ?? []),
  )
}

function handlerOf(trak: Box): string {
  const media = childrenOf(readBoxes(trak.body) ?? [], 'mdia')
  return latin1(onlyBox(media, 'hdlr')?.body ?? new Uint8Array(), 8, 12)
}

function bytesOf({ type, body }: Box): Uint8Array {
  return encodeBox(type, body)
}

/** Ticks a second, and how many the track has. */
export function mdhd(timescale: number, duration: number): Uint8Array {
  return encodeFullBox('mdhd', 0, uint32s(0, 0, timescale, duration, 0x55c40000))
}

/** A box of a table: a count of rows, and the rows. */
export function tableBox(type: string, ...rows: readonly (readonly number[])[]): Uint8Array {
  return encodeFullBox(type, 0, uint32s(rows.length), uint32List(rows.flat()))
}

/** The tables of samples that all lie at one place, each in a chunk of its own. */
export function samplesAt(offset: number, count: number, size: number, ticks = 1024) {
  return {
    stsz: encodeFullBox('stsz', 0, uint32s(size, count)),
    stts: tableBox('stts', [count, ticks]),
    stsc: tableBox('stsc', [1, 1, 1]),
    stco: encodeFullBox('stco', 0, uint32s(count), uint32List(new Uint32Array(count).fill(offset))),
  }
}
