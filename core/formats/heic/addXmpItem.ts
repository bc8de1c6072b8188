import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { encodeBox, encodeFullBox, MAX_LISTED, onlyBox, readBoxes } from '@lantern-room/mp4/boxes'
import { type ByteSpan, numberReader, readNow } from '@lantern-room/mp4/source'
import { readMeta } from './heic'
import { extentsOf, formOf } from './heicItems'
import { encodeNumber } from './replaceItems'

/** Of items that have two bytes for it. */
const MAX_ID = 0xffff

/**
 * A HEIC with an item of XMP, empty as yet, that describes its main picture. No other byte of an item or a box changes. What lies
 * behind the index moves, and the index says where to.
 * @returns undefined where the index is damaged, has another form than those of photos, or no room
 * @see ISO/IEC 14496-12, 8.11.3 (iloc), 8.11.6 (iinf), 8.11.12 (iref)
 */
export function addXmpItem(file: Uint8Array): Uint8Array | undefined {
  const { boxes = [], children, childrenAt = 0 } = readNow(readMeta({ size: file.length }), file) ?? {}
  const index = boxes.find(({ type }) => type === 'meta')
  const bodyOf = (type: string) => onlyBox(children ?? [], type)?.body
  const [entries, places, main] = [bodyOf('iinf'), bodyOf('iloc'), bodyOf('pitm')]
  // The samples of a sequence have places of their own.
  const isSequence = boxes.some(({ type }) => type === 'moov')
  if (!index || !children || !entries || !places || !main || isSequence) return undefined
  const ids = { item: highestId(entries) + 1, main: numberReader(main, 4)(main[0] === 0 ? 2 : 4) }
  if (!(ids.item <= MAX_ID && ids.main <= MAX_ID)) return undefined

  const references = withReference(bodyOf('iref'), ids)
  const old = { start: index.start, end: index.start + index.size }
  const write = (moved: Uint8Array) => {
    const changed = new Map([
      ['iinf', withEntry(entries, ids.item)],
      ['iref', references],
      ['iloc', withRow(moved, ids.item)],
    ])
    const kept = children.map(
      ({ type, start, size }) =>
        changed.get(type) ?? file.subarray(childrenAt + start, childrenAt + start + size),
    )
    const added = bodyOf('iref') ? [] : [references]
    return encodeBox('meta', file.subarray(childrenAt - 4, childrenAt), ...kept, ...added)
  }
  const moved = movePlaces(places, old, write(places).length - index.size)
  return moved && concatBytes([file.subarray(0, old.start), write(moved), file.subarray(old.end)])
}

/** @param entries of `iinf`. @returns NaN when one is damaged */
function highestId(entries: Uint8Array): number {
  const boxes = readBoxes(entries.subarray(entries[0] === 0 ? 6 : 8), MAX_LISTED)
  const ids = boxes?.map(({ body }) => numberReader(body, 4)((body[0] ?? 0) < 3 ? 2 : 4))
  return ids ? Math.max(0, ...ids) : Number.NaN
}

/** Version 2, hidden: it is no picture. */
const HIDDEN_ENTRY = 0x02000001

function withEntry(entries: Uint8Array, id: number): Uint8Array {
  const type = asciiBytes('mime\0application/rdf+xml\0')
  const entry = encodeFullBox('infe', HIDDEN_ENTRY, encodeNumber(id, 2), encodeNumber(0, 2), type)
  return encodeBox('iinf', countedUp(entries, 4, entries[0] === 0 ? 2 : 4), entry)
}

function withReference(
  references: Uint8Array | undefined,
  { item, main }: { readonly item: number; readonly main: number },
): Uint8Array {
  const idSize = (references?.[0] ?? 0) === 0 ? 2 : 4
  const numbers = [encodeNumber(item, idSize), encodeNumber(1, 2), encodeNumber(main, idSize)]
  return encodeBox('iref', references ?? new Uint8Array(4), encodeBox('cdsc', ...numbers))
}

/** A row for an item without bytes. */
function withRow(places: Uint8Array, id: number): Uint8Array {
  const { idSize, methodSize, offsetSize, lengthSize, baseSize, indexSize } = formOf(places)
  const zeros = new Uint8Array(methodSize + 2 + baseSize)
  const extent = new Uint8Array(indexSize + offsetSize + lengthSize)
  const row = [encodeNumber(id, idSize), zeros, encodeNumber(1, 2), extent]
  return encodeBox('iloc', countedUp(places, 6, idSize), ...row)
}

/** A table with one row more, whose number of rows is at `at`. */
function countedUp(table: Uint8Array, at: number, size: number): Uint8Array {
  const counted = table.slice()
  counted.set(encodeNumber(numberReader(table, at)(size) + 1, size), at)
  return counted
}

/** The table of places, with those behind the index moved. @returns undefined when it is damaged, or has no room for a place */
function movePlaces(places: Uint8Array, index: ByteSpan, by: number): Uint8Array | undefined {
  const moved = places.slice()
  for (const { method, isElsewhere, base, offset, length } of extentsOf(places)) {
    const start = base.value + offset.value
    if (!Number.isSafeInteger(start + length)) return undefined
    // Other methods count from `idat` or in another item.
    if (method > 0 || isElsewhere || start + length <= index.start) continue
    const place = offset.size > 0 ? offset : base
    if (start < index.end || place.value + by >= 256 ** place.size) return undefined
    moved.set(encodeNumber(place.value + by, place.size), place.at)
  }
  return moved
}
