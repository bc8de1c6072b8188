import { latin1, viewOf } from '#core/bytes'
import { type Box, childrenOf, onlyBox, readBoxes } from '../mp4/boxes'
import { numberAt, numberReader } from '../source/reading'

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
type ItemRow = { readonly start: number; readonly sizes: FieldSizes; readonly hasMethod: boolean }

/** A construction method; 0 is the file. */
const IN_IDAT = 1

/** Bytes of each number in a row of `iloc`. */
type FieldSizes = Readonly<Record<'offsetSize' | 'lengthSize' | 'baseSize' | 'indexSize', number>>

type Extent = Pick<HeicItem, 'start' | 'length' | 'isWhole' | 'row'> & { readonly isInIdat: boolean }

/** A phone's large picture has some hundred tiles. */
const MAX_ITEMS = 4096

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
  const types = new Map<number, string>()
  if (!iinf || iinf.body.length < 6) return types
  const entries = readBoxes(iinf.body.subarray(iinf.body[0] === 0 ? 6 : 8)) ?? []
  for (const { type, body } of entries.slice(0, MAX_ITEMS)) {
    const version = body[0]
    if (type !== 'infe' || body.length < 12 || (version !== 2 && version !== 3)) continue
    const id = version === 2 ? viewOf(body).getUint16(4) : viewOf(body).getUint32(4)
    const at = version === 2 ? 8 : 10
    const code = latin1(body, at, at + 4)
    // After the code: the item's name, then the content type, each ended by a zero byte.
    const [, contentType = ''] = latin1(body, at + 4, at + 4 + 256).split('\0')
    types.set(id, code === 'mime' ? `mime ${contentType}` : code)
  }
  return types
}

function readExtents(iloc: Box | undefined): Map<number, Extent> {
  const extents = new Map<number, Extent>()
  if (!iloc || iloc.body.length < 8) return extents
  const version = numberAt(iloc.body, 0)
  const read = numberReader(iloc.body, 4)
  const [offsetSize, lengthSize] = nibbles(read(1))
  const [baseSize, indexSize] = nibbles(read(1))
  const sizes = { offsetSize, lengthSize, baseSize, indexSize: version > 0 ? indexSize : 0 }
  const idSize = version < 2 ? 2 : 4
  const count = Math.min(read(idSize), MAX_ITEMS)
  let start = 6 + idSize * 2
  for (let i = 0; i < count; i++) {
    const id = read(idSize)
    const method = version > 0 ? read(2) & 15 : 0
    read(2) // data_reference_index
    const extent = readFirstExtent(read, sizes)
    if (!extent) break
    const { bytes, ...first } = extent
    const row = { start, sizes, hasMethod: version > 0 }
    // A derived item (method 2) lies inside another item.
    if (method <= IN_IDAT) extents.set(id, { ...first, isInIdat: method === IN_IDAT, row })
    start += idSize + (version > 0 ? 4 : 2) + bytes
  }
  return extents
}

/** Reads all extents of an item. @returns the first one, and the bytes of all; undefined when there is none or they are cut */
function readFirstExtent(
  read: (size: number) => number,
  { offsetSize, lengthSize, baseSize, indexSize }: FieldSizes,
): (Pick<Extent, 'start' | 'length' | 'isWhole'> & { readonly bytes: number }) | undefined {
  const base = read(baseSize)
  const count = read(2)
  if (count === 0) return undefined
  read(indexSize)
  const first = { start: base + read(offsetSize), length: read(lengthSize), isWhole: count === 1 }
  // In one step: extents may have no bytes at all, and a hostile file has millions of those.
  const extentSize = indexSize + offsetSize + lengthSize
  const rest = read((count - 1) * extentSize)
  if (Number.isNaN(first.start + first.length + rest)) return undefined
  return { ...first, bytes: baseSize + 2 + count * extentSize }
}

function nibbles(byte: number): [number, number] {
  return [byte >> 4, byte & 15]
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
  const properties = childrenOf(boxes, 'ipco')
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
