import { latin1 } from '@lantern-room/base/bytes'
import { type Box, childrenOf, MAX_LISTED, onlyBox, readBoxes } from '@lantern-room/mp4/boxes'
import { numberReader } from '@lantern-room/mp4/source'

export type HeicItem = {
  readonly id: number
  /** Four-character code; of a `mime` item followed by a space and its content type. */
  readonly type: string
  /** Where its first extent lies. */
  readonly start: number
  readonly length: number
  /** It has no further extent. */
  readonly isWhole: boolean
  /** Where its row in `iloc` says where it lies. */
  readonly row: ItemRow
}

/** A row of `iloc` after the item's number. */
type ItemRow = { readonly start: number; readonly form: ReturnType<typeof formOf> }

/** A construction method; 0 is the file. */
const IN_IDAT = 1

type Extent = Pick<HeicItem, 'start' | 'length' | 'isWhole' | 'row'> & { readonly isInIdat: boolean }

/** A phone's large picture has some hundred tiles. */
const MAX_ITEMS = 4096
/** Of all items; most have one. */
const MAX_EXTENTS = 16_384

/**
 * Lists the items of a `meta` box.
 * @param children of the `meta` box
 * @param childrenAt where in the file the first of them begins
 * @see ISO/IEC 14496-12, 8.11.3 (iloc), 8.11.6 (iinf)
 */
export function readHeicItems(children: readonly Box[], childrenAt: number): HeicItem[] {
  const types = readTypes(onlyBox(children, 'iinf'))
  const idat = onlyBox(children, 'idat')
  const idatAt = idat && childrenAt + idat.start + idat.headerSize
  const iloc = onlyBox(children, 'iloc')
  const ilocAt = childrenAt + (iloc ? iloc.start + iloc.headerSize : 0)
  const extents = readExtents(iloc)
  return [...types].flatMap(([id, type]) => {
    const extent = extents.get(id)
    const base = extent?.isInIdat ? idatAt : 0
    if (!extent || base === undefined) return []
    const { start, length, isWhole, row } = extent
    const placed = { ...row, start: ilocAt + row.start }
    return [{ id, type, start: base + start, length, isWhole, row: placed }]
  })
}

function readTypes(iinf: Box | undefined): Map<number, string> {
  if (!iinf || iinf.body.length < 6) return new Map()
  const entries = readBoxes(iinf.body.subarray(iinf.body[0] === 0 ? 6 : 8), MAX_LISTED) ?? []
  return new Map(entries.slice(0, MAX_ITEMS).flatMap(readType))
}

/** An item's number and its type, of an entry of version 2 or 3. */
function readType({ type, body }: Box): [number, string][] {
  const idSize = ID_SIZES[body[0] ?? 0]
  if (type !== 'infe' || body.length < 12 || idSize === undefined) return []
  const at = 6 + idSize
  const code = latin1(body, at, at + 4)
  // After the code: the item's name, then the content type, each ended by a zero byte.
  const [, contentType = ''] = latin1(body, at + 4, at + 4 + 256).split('\0')
  return [[numberReader(body, 4)(idSize), code === 'mime' ? `mime ${contentType}` : code]]
}

/** Bytes of an item's number, by the version of its entry. */
const ID_SIZES: Readonly<Record<number, number>> = { 2: 2, 3: 4 }

function readExtents(iloc: Box | undefined): Map<number, Extent> {
  const extents = new Map<number, Extent>()
  if (!iloc) return extents
  const form = formOf(iloc.body)
  for (const { id, rowAt, method, count, isFirst, base, offset, length } of extentsOf(iloc.body)) {
    const start = base.value + offset.value
    if (Number.isNaN(start + length) || extents.size === MAX_ITEMS) break
    // A derived item (method 2) lies inside another item.
    if (!isFirst || method > IN_IDAT) continue
    const row = { start: rowAt, form }
    extents.set(id, { start, length, isWhole: count === 1, isInIdat: method === IN_IDAT, row })
  }
  return extents
}

/** How the numbers in a table of places (the body of `iloc`) are written. */
export function formOf(places: Uint8Array) {
  const [version = 0, , , , sizes = 0, more = 0] = places
  return {
    idSize: version < 2 ? 2 : 4,
    methodSize: version > 0 ? 2 : 0,
    offsetSize: sizes >> 4,
    lengthSize: sizes & 15,
    baseSize: more >> 4,
    indexSize: version > 0 ? more & 15 : 0,
  }
}

/** All extents in the order of the table, up to the first that is cut or of too many, whose numbers are NaN. */
export function* extentsOf(places: Uint8Array) {
  const { idSize, methodSize, offsetSize, lengthSize, baseSize, indexSize } = formOf(places)
  let at = 6
  let left = MAX_EXTENTS
  /** A number in the table: where, how many bytes, and its value. */
  const take = (size: number) => {
    at += size
    return { at: at - size, size, value: numberReader(places, at - size)(size) }
  }
  const rows = take(idSize).value
  for (let row = 0; row < rows; row++) {
    const id = take(idSize).value
    const rowAt = at
    const method = take(methodSize).value & 15
    /** Whether it lies in another file. */
    const isElsewhere = take(2).value !== 0
    const base = take(baseSize)
    const count = take(2).value
    const item = { id, rowAt, method, isElsewhere, count, base }
    // Those without a byte are all alike: one stands for thousands.
    const isEmpty = indexSize + offsetSize + lengthSize === 0
    const [different, counted] = isEmpty ? [Math.min(count, 1), 0] : [count, count]
    left -= counted
    if (Number.isNaN(count) || left < 0) {
      yield { ...item, isFirst: true, offset: base, length: Number.NaN }
      return
    }
    for (let extent = 0; extent < different && (isEmpty || at < places.length); extent++) {
      take(indexSize)
      yield { ...item, isFirst: extent === 0, offset: take(offsetSize), length: take(lengthSize).value }
    }
  }
}

/** An item's properties, in the order in which they are applied. */
export type ItemProperties = ReadonlyMap<number, readonly Box[]>

/**
 * Reads which properties the items of a `meta` box have.
 * @param children of the `meta` box
 * @see ISO/IEC 23008-12, 9.3 (iprp, ipco, ipma)
 */
export function readItemProperties(children: readonly Box[]): ItemProperties {
  const boxes = childrenOf(children, 'iprp')
  const properties = readBoxes(onlyBox(boxes, 'ipco')?.body ?? new Uint8Array(), MAX_LISTED) ?? []
  const found = new Map<number, readonly Box[]>()
  for (const { type, body } of boxes) {
    if (type === 'ipma') readAssociations(body, properties, found)
  }
  return found
}

function readAssociations(
  ipma: Uint8Array,
  properties: readonly Box[],
  found: Map<number, readonly Box[]>,
): void {
  const read = numberReader(ipma, 0)
  const version = read(1)
  const flags = read(3)
  const count = read(4)
  const indexSize = flags & 1 ? 2 : 1
  for (let i = 0; i < count && found.size < MAX_ITEMS; i++) {
    const id = read(version < 1 ? 2 : 4)
    const length = read(1)
    if (Number.isNaN(length)) return
    // The highest bit says whether a reader must know the property; the others count from 1.
    const indices = Array.from({ length }, () => read(indexSize) & (indexSize === 2 ? 0x7fff : 0x7f))
    found.set(
      id,
      indices.flatMap((index) => properties[index - 1] ?? []),
    )
  }
}

/** The number of the main picture; NaN where there is none. */
export function mainItem(children: readonly Box[]): number {
  const pitm = onlyBox(children, 'pitm')
  if (!pitm) return Number.NaN
  const read = numberReader(pitm.body, 0)
  const isLong = read(4) >= 0x1000000
  return read(isLong ? 4 : 2)
}

/**
 * The items to which each item refers, in order.
 * @param kind of the references: `dimg` to those of which it is made, `cdsc` to those that it describes
 * @see ISO/IEC 14496-12, 8.11.12 (iref)
 */
export function readReferences(children: readonly Box[], kind: string): ReadonlyMap<number, number[]> {
  const references = new Map<number, number[]>()
  const iref = onlyBox(children, 'iref')?.body ?? new Uint8Array()
  const idSize = (iref[0] ?? 0) > 0 ? 4 : 2
  for (const { type, body } of readBoxes(iref.subarray(4), MAX_LISTED) ?? []) {
    if (type !== kind) continue
    const read = numberReader(body, 0)
    const [id, count] = [read(idSize), read(2)]
    if (count * idSize > body.length) continue
    references.set(
      id,
      Array.from({ length: count }, () => read(idSize)),
    )
  }
  return references
}
